import type { AcceptedVersions } from '../../../platform/http/conditional-requests.js';

/** The only revision that is accepted; undefined if all are. */
export function toSingleRevision(accepted: AcceptedVersions): number | undefined | 'several' {
  if (accepted === undefined || accepted === '*') return undefined;
  return accepted.length === 1 ? accepted[0] : 'several';
}
