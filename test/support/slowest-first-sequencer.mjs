import { relative } from 'node:path';
import Sequencer from '@jest/test-sequencer';
import { secondsOf } from './suites.mjs';

/**
 * Starts the slow suites first, so that both workers finish at the same time. Jest does this with the times of earlier
 * runs; in a new clone there are none.
 */
export default class SlowestFirstSequencer extends Sequencer {
  sort(tests) {
    const seconds = ({ path, context }) => secondsOf(relative(context.config.rootDir, path));
    return super.sort(tests).sort((one, other) => seconds(other) - seconds(one));
  }
}
