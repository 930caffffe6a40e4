import { createReadStream } from 'node:fs';
import { Injectable } from '@nestjs/common';
import { TemporaryFiles } from '../../../platform/body/temporary-files.js';
import { Database } from '../../../platform/database/database.js';
import { Savepoint } from '../../../../packages/sql/src/savepoint.js';
import { quoteLiteral } from '../../../../packages/sql/src/sql-literal.js';
import { DomainError, NotFoundError } from '../../../../packages/errors/src/domain-error.js';
import type { PageQueryDto } from '../../../platform/http/page.dto.js';
import { type Page, readPage, type RowPage } from '../../../../packages/sql/src/page-reader.js';
import { getRowPage } from '../../../records/row-pages.repository.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import { encodeArray } from '../../../../packages/tables/src/catalog/binary-format.js';
import { findOwnLoads, type LoadRef, selectOwnLoads } from '../catalog/own-loads.repository.js';
import {
  physicalKeyName,
  physicalTableName,
  formerRowsName,
} from '../../../../packages/tables/src/catalog/physical-table.js';
import { rowToJson } from '../../../../packages/tables/src/catalog/row-sql.js';
import { findPolicyVersion, type View } from '../../../../packages/tables/src/catalog/view.js';
import type { ProposalDto } from './dto/proposals.dto.js';
import { type ProposalKey, type ProposalStatus, TableProposal, TableProposalRow } from './table-proposal.entity.js';
import { PROPOSAL_ERRORS, ProposalDecidedError } from './proposals.errors.js';

/** A change of a row, as reviewers read it. */
export type ProposedRow = Pick<TableProposalRow, 'tableId' | 'key' | 'change' | 'revision' | 'before' | 'after'>;

/** The decision about a proposal. */
export interface Decision {
  status: Exclude<ProposalStatus, 'pending'>;
  decidedBy: string | null;
  comment: string | null;
  batchId?: string;
}

/** Bytes of the changes of a proposal, as PostgreSQL copies them. */
export const MAX_PROPOSAL_BYTES = 1024 ** 3;

/** Days for which a decided proposal remains. */
export const RETENTION_DAYS = 30;

const IS_EXPIRED = "status = 'pending' AND expires_at <= statement_timestamp()";

/** For the queue of work. */
export const EXPIRED_PROPOSALS = `SELECT workspace_id FROM table_proposals WHERE ${IS_EXPIRED}`;

const COLUMNS = 'workspace_id, proposal_id, table_id, key, change, revision, before, after';

/** The loads that wait for approval, and their changes. */
@Injectable()
export class ProposalsRepository {
  /** Before the rows of a load that may be replaced by a proposal. */
  readonly savepoint: Savepoint;

  constructor(
    private readonly database: Database,
    private readonly files: TemporaryFiles,
  ) {
    this.savepoint = new Savepoint(database, 'load');
  }

  /** The rows of the table after the load. */
  async countRows(table: CatalogTable): Promise<number> {
    const [counted] = await this.database.query<{ count: number }>(
      `SELECT count(*)::float8 AS count FROM ${physicalTableName(table)}`,
      [],
    );
    return counted!.count;
  }

  /**
   * Undoes the load, and stores its changes as those of a proposal. The changes pass temporary files, because the
   * rollback would also remove a temporary table.
   *
   * @param view what the caller may change.
   * @param proposal may exist: its former changes are deleted.
   * @param tables that the load has changed, with the revision of the changed rows.
   * @throws {DomainError} `proposal_too_large`
   */
  async replaceByProposal(
    view: View,
    proposal: Partial<TableProposal> & ProposalKey,
    tables: readonly CatalogTable[],
  ): Promise<void> {
    const { workspaceId, id } = proposal;
    const quota = this.files.openUnlimited();
    const release = quota.retain();
    try {
      const paths: string[] = [];
      let bytes = 0;
      for (const table of tables) {
        const rows = this.database.copyOut(copyChanges(proposal, table));
        const { path, size } = await quota.write(rows, (read) => requireAllowedSize(bytes + read));
        bytes += size;
        paths.push(path);
      }
      await this.savepoint.rollBack();
      await this.save(view, proposal);
      await this.database.repository(TableProposalRow).delete({ workspaceId, proposalId: id });
      for (const path of paths)
        await this.database.copyIn(`COPY table_proposal_rows (${COLUMNS}) FROM STDIN`, createReadStream(path));
    } finally {
      release();
    }
  }

  /** The proposals of the workspace that the caller may read, newest first. @throws {InvalidCursorError} */
  list(view: View, { status, limit, cursor }: PageQueryDto & { status?: ProposalStatus }): Promise<Page<ProposalDto>> {
    const own = selectOwnLoads(view, 3);
    const { workspaceId } = view;
    const statement = {
      sql: `${select()} AND ($2::text IS NULL OR status = $2)${own.sql}`,
      parameters: [workspaceId, status ?? null, ...own.parameters],
      sized: ['tables', 'comment'],
    };
    const identity = [TableProposal.name, workspaceId, status ?? null];
    return getRowPage<ProposalDto>(this.database, identity, statement, { limit, cursor, sort: '-createdAt' });
  }

  /** @throws {NotFoundError} also if the access policies of the caller hide it. */
  async get({ view, id }: LoadRef): Promise<ProposalDto> {
    const own = selectOwnLoads(view, 3);
    const [found] = await this.database.query<ProposalDto & Pick<TableProposal, 'comparedPolicyVersion'>>(
      `${select(', report, compared_policy_version AS "comparedPolicyVersion"')} AND id = $2${own.sql}`,
      [view.workspaceId, id, ...own.parameters],
    );
    if (!found) throw new NotFoundError('The proposal');
    const { comparedPolicyVersion, report, ...proposal } = found;
    return isComparedFor(view, { comparedPolicyVersion }) ? { ...proposal, report } : proposal;
  }

  /** @throws {NotFoundError} also if the access policies of the caller hide it. */
  async getEntity({ view, id }: LoadRef): Promise<TableProposal> {
    const { workspaceId } = view;
    const isReadable = (await findOwnLoads(this.database, 'table_proposals', view, [id])).has(id.toLowerCase());
    const found = isReadable && (await this.database.repository(TableProposal).findOneBy({ workspaceId, id }));
    if (!found) throw new NotFoundError('The proposal');
    return found;
  }

  /** Locks a pending proposal until the transaction ends. @throws {NotFoundError | ProposalDecidedError} */
  async lockPending(key: ProposalKey): Promise<TableProposal> {
    const proposal = await this.lock(key);
    if (proposal.status !== 'pending') throw new ProposalDecidedError(proposal.status);
    const [expired] = await this.database.query(
      `SELECT 1 FROM table_proposals WHERE workspace_id = $1 AND id = $2 AND ${IS_EXPIRED}`,
      [key.workspaceId, key.id],
    );
    if (expired) throw new ProposalDecidedError('expired');
    return proposal;
  }

  /** Locks the proposal until the transaction ends. @throws {NotFoundError} */
  async lock({ workspaceId, id }: ProposalKey): Promise<TableProposal> {
    const found = await this.database
      .repository(TableProposal)
      .findOne({ where: { workspaceId, id }, lock: { mode: 'pessimistic_write' } });
    if (!found) throw new NotFoundError('The proposal');
    return found;
  }

  /** A page of the changes in a table, in the order of their keys. @param after the key before them. */
  listRows(
    { workspaceId, id }: ProposalKey,
    tableId: string,
    after: string,
    limit: number,
  ): Promise<RowPage<ProposedRow>> {
    const statement = {
      sql: `SELECT table_id AS "tableId", key, change, revision::float8 AS revision, before, after
              FROM table_proposal_rows
             WHERE workspace_id = $1 AND proposal_id = $2 AND table_id = $3 AND key > $4 ORDER BY key`,
      parameters: [workspaceId, id, tableId, after],
      sized: ['before', 'after'],
    };
    return readPage<ProposedRow>(this.database, statement, limit);
  }

  /**
   * The keys of those changes whose rows were changed, created or deleted since the proposal was compared. The caller
   * has the lock of the table.
   */
  findChanged(table: CatalogTable, rows: readonly ProposedRow[]): Promise<string[]> {
    const revisions = rows.map(({ revision }) => revision);
    return this.findKeys(table, rows, 't._revision IS DISTINCT FROM p.revision', revisions);
  }

  /** The keys of those changes whose rows the table does not have. The caller has the lock of the table. */
  findMissing(table: CatalogTable, rows: readonly ProposedRow[]): Promise<string[]> {
    return this.findKeys(table, rows, 't._revision IS NULL', []);
  }

  private async findKeys(
    table: CatalogTable,
    rows: readonly ProposedRow[],
    condition: string,
    revisions: readonly (number | null)[],
  ): Promise<string[]> {
    const keys = encodeArray(
      'text',
      rows.map(({ key }) => key),
    );
    const found = await this.database.query<{ key: string }>(
      `SELECT p.key FROM unnest($1::text[], $2::bigint[]) AS p (key, revision)
         LEFT JOIN ${physicalTableName(table)} t ON t.${physicalKeyName(table)} = p.key
        WHERE ${condition} ORDER BY p.key`,
      [keys, revisions],
    );
    return found.map(({ key }) => key);
  }

  /** Ends a pending proposal. The caller has locked it. */
  async decide({ workspaceId, id }: ProposalKey, decision: Decision): Promise<void> {
    await this.database
      .repository(TableProposal)
      .update({ workspaceId, id }, { ...decision, decidedAt: () => 'statement_timestamp()' });
  }

  /** Pending proposals whose time is over, of all workspaces. */
  listExpired(): Promise<ProposalKey[]> {
    return this.database.queryAllWorkspaces<ProposalKey>(
      (isReachable) =>
        `SELECT workspace_id AS "workspaceId", id FROM table_proposals WHERE ${IS_EXPIRED} AND ${isReachable('workspace_id')}`,
    );
  }

  /** Deletes proposals that were decided long ago. @param batch at most. @returns how many were deleted. */
  deleteOld(batch: number): Promise<number> {
    return this.database.affected(
      `WITH old AS MATERIALIZED (
         SELECT workspace_id, id FROM table_proposals
          WHERE status <> 'pending' AND decided_at < now() - $2 * interval '1 day' LIMIT $1)
       DELETE FROM table_proposals p USING old WHERE p.workspace_id = old.workspace_id AND p.id = old.id`,
      [batch, RETENTION_DAYS],
    );
  }

  private async save(view: View, { workspaceId, id, ...changes }: Partial<TableProposal> & ProposalKey): Promise<void> {
    const proposals = this.database.repository(TableProposal);
    // A comparison by another user does not hide the proposal from its author.
    const policyVersion = findPolicyVersion(view) ?? null;
    const compared = { ...changes, comparedPolicyVersion: policyVersion };
    const { affected } = await proposals.update({ workspaceId, id }, compared);
    if (affected === 0) await proposals.insert({ workspaceId, id, ...compared, policyVersion });
  }
}

/** Does a proposal contain only what the caller may read? It has the values that its last comparison has read. */
export function isComparedFor(view: View, proposal: Pick<TableProposal, 'comparedPolicyVersion'>): boolean {
  const policyVersion = findPolicyVersion(view);
  return policyVersion === undefined || proposal.comparedPolicyVersion === policyVersion;
}

/** The proposals of the workspace `$1`. */
function select(details = ''): string {
  const table = ['id', 'entity', 'name', 'counts'].map((name) => `'${name}', t->'${name}'`).join(', ');
  return `
    SELECT id, status, source, (SELECT coalesce(json_agg(json_build_object(${table})), '[]') FROM jsonb_array_elements(tables) t) AS tables${details},
           import_id AS "importId", undoes, needs_other_user AS "needsOtherUser", created_by AS "createdBy",
           created_at AS "createdAt", compared_at AS "comparedAt", expires_at AS "expiresAt",
           decided_by AS "decidedBy", decided_at AS "decidedAt", comment, batch_id AS "batchId"
      FROM table_proposals WHERE workspace_id = $1`;
}

/** The changed rows of a batch with their former values: rows that have the revision, and those that it has ended. */
function copyChanges({ workspaceId, id }: ProposalKey, table: CatalogTable): string {
  const key = physicalKeyName(table);
  const columns = { columns: table.columns.filter(({ primaryKey }) => !primaryKey) };
  const owner = [workspaceId, id, table.id].map((each) => `${quoteLiteral(each)}::uuid`).join(', ');
  return `COPY (
    SELECT ${owner}, coalesce(t.${key}, u.${key}),
           CASE WHEN t.${key} IS NULL THEN 'delete' WHEN u.${key} IS NOT NULL THEN 'update' ELSE 'create' END,
           u._revision, CASE WHEN u.${key} IS NOT NULL THEN ${rowToJson(columns, 'u')} END,
           CASE WHEN t.${key} IS NOT NULL THEN ${rowToJson(columns, 't')} END
      FROM (SELECT * FROM ${physicalTableName(table)} WHERE _revision = ${table.revision}) t
           FULL JOIN (SELECT * FROM ${formerRowsName(table)} WHERE _ended_revision = ${table.revision}) u
           ON u.${key} = t.${key}) TO STDOUT`;
}

function requireAllowedSize(bytes: number): void {
  if (bytes <= MAX_PROPOSAL_BYTES) return;
  const details = { limit: MAX_PROPOSAL_BYTES, actual: bytes };
  throw new DomainError(PROPOSAL_ERRORS.proposal_too_large, undefined, { details });
}
