import { PageQueryDto } from '../../../../platform/http/page.dto.js';
import { OptionalOneOf, OptionalText } from '../../../../records/record-fields.decorator.js';
import { PROPOSAL_STATUSES, type ProposalStatus } from '../../history/table-proposal.entity.js';

const MAX_COMMENT_LENGTH = 1_000;

export class ProposalsQueryDto extends PageQueryDto {
  @OptionalOneOf(PROPOSAL_STATUSES)
  status?: ProposalStatus;
}

export class DecisionDto {
  /** For the author of the load. */
  @OptionalText({ maxLength: MAX_COMMENT_LENGTH, example: 'Checked with the plant.' })
  comment?: string | null;
}
