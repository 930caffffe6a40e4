import { Reply } from '../../../platform/http/envelope.js';

/** The description of the status 202 of routes that load rows. */
export const WAITS_FOR_APPROVAL = 'The proposal `proposalId` waits for approval. Nothing was stored.';

/** The response to a load that waits for approval. */
export function toProposedReply<Report>(report: Report): Reply<Report> {
  return new Reply(report, { status: 202, message: 'Waits for approval' });
}
