import { text as readText } from 'node:stream/consumers';
import { Injectable } from '@nestjs/common';
import * as z from 'zod';
import { InvalidRequestError } from '../../../packages/errors/src/domain-error.js';
import { parseStoredJson } from '../../../packages/sql/src/stored-json.js';
import { Config } from '../../platform/config/config.js';
import { ProposalsService } from '../workspace-tables/proposals/proposals.service.js';
import { ProposeRowsService } from '../workspace-tables/proposals/propose-rows.service.js';
import { cutTexts, MAX_ANSWER_BYTES, MAX_CELL_LENGTH, MAX_CHANGES, MAX_DIFFERENCES } from './answers.js';
import { KEY, NamedTables, TABLE } from './named-tables.js';
import { defineTool, entriesWith, type Tool, VALUE } from './tool.js';

/** The tool that proposes changes of rows. */
@Injectable()
export class ProposalTools {
  constructor(
    private readonly named: NamedTables,
    private readonly proposing: ProposeRowsService,
    private readonly proposals: ProposalsService,
    private readonly config: Config,
  ) {}

  list(): Tool[] {
    return [this.proposeRows()];
  }

  private proposeRows(): Tool {
    return defineTool({
      scopes: ['write:workspaces'],
      role: 'editor',
      isReadOnly: false,
      name: 'propose_rows',
      description: 'Proposes rows to create, update or delete; nothing is stored until a person approves the proposal.',
      input: {
        table: TABLE,
        rows: z
          .array(z.record(z.string(), VALUE))
          .max(MAX_CHANGES)
          .default([])
          .describe(
            'Rows with their keys: {"equnr":"4711","weight":80}. Columns that are not sent remain; null clears.',
          ),
        deleteKeys: z.array(KEY).max(MAX_CHANGES).default([]).describe('Keys of rows to delete.'),
      },
      output: {
        proposalId: z.string(),
        link: z.string().describe('For the person who decides.'),
        counts: z.record(z.string(), z.int()),
        missingKeys: z.array(z.string()).describe('The first of deleteKeys that no row has.'),
        differences: entriesWith('change', 'key').describe('The first ones.'),
      },
      run: (caller, { rows, deleteKeys: keys, ...sent }) =>
        this.named.use(caller, sent, async (ref) => {
          requireNumber(rows.length + keys.length);
          const { proposalId, counts, missingKeys } = await this.proposing.propose(ref, { rows, keys }, caller.userId);
          const stream = await this.proposals.readDifferences({ view: ref.view, id: proposalId });
          // The last line is a summary.
          const lines = (await readText(stream)).trimEnd().split('\n').slice(0, -1);
          const differences = takeFirst(lines).map((line) => cutTexts(parseStoredJson(line), MAX_CELL_LENGTH));
          const link = `${this.config.http.publicUrl}/tables#/${ref.view.workspaceId}?proposal=${proposalId}`;
          return { proposalId, link, counts, missingKeys: missingKeys.slice(0, MAX_DIFFERENCES), differences };
        }),
    });
  }
}

/** @throws {InvalidRequestError} */
function requireNumber(changes: number): void {
  if (changes > 0 && changes <= MAX_CHANGES) return;
  const message = `Send 1 to ${MAX_CHANGES} rows and deleteKeys together; ${changes} were sent.`;
  throw new InvalidRequestError([{ field: 'rows', code: 'invalid_field', message }]);
}

/** So few that their answer is never too large: the proposal is already stored. */
function takeFirst(lines: readonly string[]): string[] {
  let length = 0;
  return lines.slice(0, MAX_DIFFERENCES).filter((line) => (length += line.length) <= MAX_ANSWER_BYTES / 8);
}
