import { Readable } from 'node:stream';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { CursorPosition } from '../../../packages/sql/src/keyset.js';
import type { Page } from '../../../packages/sql/src/page-reader.js';
import { EventsService } from '../events/events.service.js';
import {
  type EntryFilter,
  AuditEntriesRepository,
  ENTRY_KEYSET,
  type MemberPeriod,
} from './audit-entries.repository.js';
import { KIND_OF_GROUPS, resultOf, WORKSPACE_KINDS } from './audit-kinds.js';
import type { AuthEvent } from './auth-event.entity.js';
import type { AuditEntryDto, AuditPrincipalDto, AuditQueryDto } from './dto/audit.dto.js';
import { AUDIT_EVENT_TYPES } from './dto/audit-events.dto.js';

/** Entries that one statement reads for a stream. */
const STREAM_PAGE = 500;

/** Lists everyone who has ever been a member of a workspace. */
type MemberList = (workspaceId: string) => Promise<MemberPeriod[]>;

type Filter = Omit<AuditQueryDto, 'limit' | 'cursor'>;

/** The audit log as the owners of a workspace read it: a part of the operator's (ADR 0181). */
@Injectable()
export class WorkspaceAuditService implements OnModuleInit {
  private listMembers: MemberList = () => Promise.resolve([]);

  constructor(
    private readonly entries: AuditEntriesRepository,
    private readonly events: EventsService,
  ) {}

  onModuleInit(): void {
    for (const dto of AUDIT_EVENT_TYPES.values())
      this.events.complete(dto, (workspaceId, data) => this.completeEvents(workspaceId, data as { id: string }[]));
  }

  /** Registers the module that knows the members. */
  readMembersFrom(list: MemberList): void {
    this.listMembers = list;
  }

  /** The newest first. @throws {InvalidCursorError} */
  async list(workspaceId: string, { limit, cursor, ...query }: AuditQueryDto): Promise<Page<AuditEntryDto>> {
    const filter = toEntryFilter(query);
    const identity = ['audit', workspaceId, filter];
    const after = ENTRY_KEYSET.decode(identity, cursor);
    const members = await this.listMembers(workspaceId);
    const found = await this.entries.list(workspaceId, filter, members, after, limit);
    const page = ENTRY_KEYSET.toPage(found, identity, toPosition);
    return { ...page, items: toEntries(page.items, members) };
  }

  /** All matching entries as lines of JSON, the newest first. Entries that are added meanwhile are not contained. */
  stream(workspaceId: string, query: Filter): Readable {
    return Readable.from(this.toLines(workspaceId, toEntryFilter(query)), { objectMode: false });
  }

  private async *toLines(workspaceId: string, filter: EntryFilter): AsyncGenerator<string> {
    const members = await this.listMembers(workspaceId);
    let after: CursorPosition | undefined;
    for (;;) {
      const { items, hasMore } = await this.entries.list(workspaceId, filter, members, after, STREAM_PAGE);
      if (items.length === 0) return;
      yield toEntries(items, members)
        .map((entry) => `${JSON.stringify(entry)}\n`)
        .join('');
      if (!hasMore) return;
      after = toPosition(items.at(-1)!);
    }
  }

  /** The log of events contains only the IDs of entries. */
  private async completeEvents(workspaceId: string, references: readonly { id: string }[]): Promise<object[]> {
    const ids = references.map(({ id }) => id);
    const found = toEntries(await this.entries.listByIds(workspaceId, ids), await this.listMembers(workspaceId));
    const byId = new Map(found.map((entry) => [entry.id, entry]));
    return references.map(({ id }) => ({ entry: byId.get(id) ?? { id } }));
  }
}

function toEntryFilter({ kind = WORKSPACE_KINDS, principal, from, to, result }: Filter): EntryFilter {
  const kinds = kind.filter((each) => result === undefined || resultOf(each) === result);
  return { kinds, principal, from, to };
}

function toPosition({ at, id }: AuthEvent): CursorPosition {
  return [at.toISOString(), id];
}

function toEntries(stored: readonly AuthEvent[], members: readonly MemberPeriod[]): AuditEntryDto[] {
  const names = new Map(members.map(({ userId, name }) => [userId, name]));
  return stored.map((entry) => {
    const { id, at, kind, credential, address, userAgent } = entry;
    const principal = toPrincipal(entry, names);
    return {
      id,
      at,
      kind,
      result: resultOf(kind),
      principal,
      credential,
      address,
      userAgent,
      details: toDetails(entry),
    };
  });
}

/** Without an actor, the caller of a request is the user of the entry: of a sign-in, or of a rejection. */
function toPrincipal(
  { kind, actorId, actorKeyId, actorKeyName, userId, apiKeyId, requestId }: AuthEvent,
  names: ReadonlyMap<string, string>,
): AuditPrincipalDto {
  if (requestId === null || (actorId === null && kind === KIND_OF_GROUPS))
    return { type: 'service', id: null, name: null };
  const keyId = actorKeyId ?? (actorId === null ? apiKeyId : null);
  if (keyId !== null) return { type: 'api_key', id: keyId, name: actorKeyName };
  const callerId = actorId ?? userId;
  if (callerId === null) return { type: 'unknown', id: null, name: null };
  return { type: 'user', id: callerId, name: names.get(callerId) ?? null };
}

/** The affected user and key, and what the entry describes otherwise. */
function toDetails({ userId, apiKeyId, sessionId, reason, counts, details, requestId }: AuthEvent): object {
  const all = { userId, apiKeyId, sessionId, reason, ...counts, ...details, requestId };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
}
