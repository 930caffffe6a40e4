import { relative } from 'node:path';
import Sequencer from '@jest/test-sequencer';
import { SLOW_SUITES } from './slow-suites.mjs';

/**
 * Starts the slow suites first, so that both workers finish at the same time. Jest does the same with the times of
 * earlier runs; in a new clone there are none.
 */
export default class SlowestFirstSequencer extends Sequencer {
  sort(tests) {
    const secondsOf = ({ path, context }) => SLOW_SUITES[relative(context.config.rootDir, path)]?.seconds ?? 0;
    return super.sort(tests).sort((one, other) => secondsOf(other) - secondsOf(one));
  }
}
