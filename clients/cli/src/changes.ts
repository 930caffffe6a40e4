import { formatCount } from './output.js';

/** Numbers of rows. */
interface Changes {
  created: number;
  updated: number;
  deleted?: number;
}

const NO_CHANGES = { created: 0, updated: 0, deleted: 0 };

/** The sums of changes. */
export function sumChanges(all: readonly Changes[]): Required<Changes> {
  return all.reduce<Required<Changes>>(
    (sum, { created, updated, deleted = 0 }) => ({
      created: sum.created + created,
      updated: sum.updated + updated,
      deleted: sum.deleted + deleted,
    }),
    NO_CHANGES,
  );
}

export const countChanges = ({ created, updated, deleted = 0 }: Changes): number => created + updated + deleted;

/** For example `+3 ~2 -1`. */
export function formatChanges({ created, updated, deleted = 0 }: Changes): string {
  return `+${formatCount(created)} ~${formatCount(updated)} -${formatCount(deleted)}`;
}

/** What taking changes back does. */
export function describeReversal({ created, updated, deleted = 0 }: Changes): string {
  return `deletes ${formatCount(created)} created rows, restores ${formatCount(updated)} updated and ${formatCount(deleted)} deleted rows`;
}

/** Of changes that need approval, and are not stored. @param what for example `deletion` */
export const describeWaiting = (what: string, proposalId: string): string =>
  `The ${what} waits for approval: \`atrium proposals show ${proposalId}\`.`;
