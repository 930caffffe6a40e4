import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { Database } from '../../platform/database/database.js';
import { Erasures } from '../../platform/database/erasures.js';
import { NEW_UUID_IN_SQL } from '../../../packages/sql/src/uuid.js';
import { Jobs } from '../../platform/jobs/jobs.js';
import { AuthEvent } from './auth-event.entity.js';

/** A new event; absent fields are NULL. */
export type NewEvent = Pick<AuthEvent, 'kind'> & { [Field in keyof AuthEvent]?: AuthEvent[Field] };

/** An INSERT, and the values of its parameters. */
export interface InsertClause {
  sql: string;
  parameters: unknown[];
}

/** Inserts events, and deletes those that are older than the configured retention. */
@Injectable()
export class AuditRepository implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly config: Config,
    private readonly erasures: Erasures,
  ) {}

  onModuleInit(): void {
    const { retentionDays } = this.config.audit;
    this.jobs.cleanUp('old audit events', (batch) => this.deleteOld(batch, retentionDays));
    this.erasures.registerRows(AuthEvent, ({ userId }, bind) => ({
      condition: `coalesce(t.actor_id, t.user_id) = ${bind(userId)} AND (t.address IS NOT NULL OR t.user_agent IS NOT NULL)`,
      assignments: ['address = NULL', 'user_agent = NULL'],
    }));
    this.erasures.registerOwnRows(AuthEvent, (workspaceId, { userId }, bind) => {
      const user = bind(userId);
      return `t.workspace_id = ${bind(workspaceId)} OR t.user_id = ${user} OR t.actor_id = ${user}`;
    });
    // The subject of an issuer in the entries of a sign-in.
    this.erasures.registerRows(AuthEvent, ({ userId, pseudonym }, bind) => ({
      condition: `t.user_id = ${bind(userId)} AND t.details ->> 'subject' <> ${bind(pseudonym)}::text`,
      assignments: [`details = t.details || jsonb_build_object('subject', ${bind(pseudonym)}::text)`],
    }));
  }

  /** @returns the ID. */
  async insert(event: NewEvent): Promise<string> {
    const { sql, parameters } = this.toClause(event, 1);
    const [inserted] = await this.database.query<{ id: string }>(`${sql} RETURNING id`, parameters);
    return inserted!.id;
  }

  /** Adds numbers to those of an event. @returns false if the event does not exist. */
  async addCounts(id: string, counts: Record<string, number>): Promise<boolean> {
    const updated = await this.database.affected(
      `UPDATE auth_events e SET counts = (
         SELECT jsonb_object_agg(key, value::numeric + coalesce((e.counts->>key)::numeric, 0)) FROM jsonb_each_text($2::jsonb))
        WHERE id = $1`,
      [id, JSON.stringify(counts)],
    );
    return updated > 0;
  }

  /** Removes the mappings to a workspace from the entries about issuers, which belong to no workspace and no user. */
  async forgetMappings(workspaceId: string): Promise<void> {
    await this.database.affected(
      `UPDATE auth_events e SET details = jsonb_set(details, '{claims,memberships}', (
         SELECT coalesce(jsonb_agg(m.value ORDER BY m.ordinality), '[]')
           FROM jsonb_array_elements(e.details #> '{claims,memberships}') WITH ORDINALITY m
          WHERE m.value ->> 'workspace' <> $1))
        WHERE user_id IS NULL AND workspace_id IS NULL AND kind <> 'refreshed' AND kind IN ('issuer_added', 'issuer_removed')
          AND details @> jsonb_build_object('claims', jsonb_build_object('memberships',
            jsonb_build_array(jsonb_build_object('workspace', $1::text))))`,
      [workspaceId],
    );
  }

  /**
   * The INSERT of an event, as a part of a statement that writes other rows too. The event gets its ID and its time
   * when `source` has its row, thus after the statement has waited for locks.
   *
   * @param first number of the first parameter.
   * @param source the CTE that has one row if the event must be recorded.
   */
  toClause(event: NewEvent, first: number, source?: string): InsertClause {
    const values = COLUMNS.map(([, type], position) => `$${first + position}::${type}`);
    return {
      sql: `INSERT INTO auth_events (id, at, ${NAMES})
            SELECT ${NEW_UUID_IN_SQL}, clock_timestamp(), ${values.join(', ')}${source ? ` FROM ${source}` : ''}`,
      parameters: toParameters(event),
    };
  }

  /**
   * Deletes up to `batch` events older than `days` days; instances that run at the same time skip each other's.
   *
   * @returns how many.
   */
  private deleteOld(batch: number, days: number): Promise<number> {
    return this.database.affected(
      `WITH old AS MATERIALIZED (
         SELECT id FROM auth_events WHERE at < now() - make_interval(days => $1) LIMIT $2 FOR UPDATE SKIP LOCKED)
       DELETE FROM auth_events e USING old WHERE e.id = old.id`,
      [days, batch],
    );
  }
}

/** Names and types of the columns, in the order of `toParameters`. */
const COLUMNS = [
  ['kind', 'text'],
  ['user_id', 'uuid'],
  ['actor_id', 'uuid'],
  ['actor_key_id', 'uuid'],
  ['actor_key_name', 'text'],
  ['credential', 'text'],
  ['workspace_id', 'uuid'],
  ['client_id', 'text'],
  ['session_id', 'uuid'],
  ['api_key_id', 'uuid'],
  ['reason', 'text'],
  ['counts', 'jsonb'],
  ['details', 'jsonb'],
  ['address', 'text'],
  ['user_agent', 'text'],
  ['request_id', 'text'],
] as const;
const NAMES = COLUMNS.map(([name]) => name).join(', ');

function toParameters(event: NewEvent): unknown[] {
  const { kind, userId, actorId, actorKeyId, actorKeyName, credential, workspaceId, clientId, sessionId } = event;
  const { apiKeyId, reason, counts, details, address, userAgent, requestId } = event;
  const json = [counts && JSON.stringify(counts), details && JSON.stringify(details)];
  const caller = [userId, actorId, actorKeyId, actorKeyName, credential];
  return [kind, ...caller, workspaceId, clientId, sessionId, apiKeyId, reason, ...json, address, userAgent, requestId];
}
