import { execFileSync } from 'node:child_process';
import { ROOT } from './service.js';

/** Runs git in the repository. @throws Error if git fails or there is no repository. */
export function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
}

/** The tag of the last release before this commit; undefined if there is none. */
export function findLastRelease(): string | undefined {
  try {
    return git('describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*', 'HEAD~1');
  } catch {
    return undefined;
  }
}
