import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type FieldError, InvalidRequestError } from '../../../packages/errors/src/domain-error.js';
import { Database } from '../../platform/database/database.js';
import { RowReferencesService } from '../workspace-tables/query/row-references.service.js';
import { WorkspacesService } from '../workspaces/workspaces.service.js';
import type { NoteFieldDefinitionDto, NoteTypeDto } from './dto/note-rules.dto.js';
import { findRuleErrors, toRuleError } from './note-rule-checks.js';
import { DEFAULT_TYPE, type NoteField, type NoteRules, type NoteType } from './note-rules.js';
import { DEFAULT_STATUSES, findStatus, normalizeStatus, type NoteStatus } from './note-status.js';

/** The settings of a workspace that are rules for its notes. */
export const RULE_SETTINGS = ['noteStatuses', 'noteFields', 'noteTypes'] as const;

/** What a workspace has configured. Absent settings have the default. */
export type OwnRules = Readonly<Partial<Record<(typeof RULE_SETTINGS)[number], readonly object[]>>>;

/** The rules of a workspace as they were read. */
export interface CurrentRules {
  rules: NoteRules;
  own: OwnRules;
}

/** Workspaces whose rules an instance remembers. */
const MAX_REMEMBERED = 10_000;

/** The statuses, fields and types that notes of a workspace can have. */
@Injectable()
export class NoteRulesService {
  /** The rules of each workspace as last read, possibly outdated. */
  private readonly remembered = new LRUCache<string, OwnRules>({ max: MAX_REMEMBERED });

  constructor(
    private readonly database: Database,
    private readonly workspaces: WorkspacesService,
    private readonly rows: RowReferencesService,
  ) {}

  async get(workspaceId: string): Promise<NoteRules> {
    return fromSettings(await this.read(workspaceId));
  }

  /** The rules, and what the statement that inserts a note compares: see `recall`. */
  async readCurrent(workspaceId: string): Promise<CurrentRules> {
    const own = await this.read(workspaceId);
    this.remembered.set(workspaceId, own);
    return { rules: fromSettings(own), own };
  }

  /**
   * The rules without a statement, if the instance remembers them. They may be outdated: the statement that inserts a
   * note compares `own`. If it differs, the caller calls `forget`, and repeats both.
   */
  async recall(workspaceId: string): Promise<CurrentRules> {
    const own = this.remembered.get(workspaceId);
    return own ? { rules: fromSettings(own), own } : this.readCurrent(workspaceId);
  }

  forget(workspaceId: string): void {
    this.remembered.delete(workspaceId);
  }

  /**
   * Replaces the statuses. Notes retain a removed status until they get another.
   *
   * @throws {InvalidRequestError} if two statuses have the same key, or a type needs a removed one.
   */
  async changeStatuses(workspaceId: string, statuses: readonly NoteStatus[]): Promise<readonly NoteStatus[]> {
    const normalized = statuses.map(({ key, category }) => ({ key: normalizeStatus(key), category }));
    return (await this.change(workspaceId, () => ({ noteStatuses: normalized }))).statuses;
  }

  /**
   * Replaces the fields. Values of a removed field remain as custom fields; those of a changed one are checked when
   * they are written again.
   *
   * @throws {InvalidRequestError} if a field is not valid, or a type requires a removed one.
   */
  async changeFields(workspaceId: string, sent: readonly NoteFieldDefinitionDto[]): Promise<NoteFieldDefinitionDto[]> {
    const { fields } = await this.change(workspaceId, async () => {
      const errors: FieldError[] = [];
      const noteFields: NoteField[] = [];
      for (const [at, { table, ...field }] of sent.entries()) {
        const tableId = table === undefined ? undefined : await this.findTable(workspaceId, table, at, errors);
        noteFields.push({ ...field, tableId });
      }
      if (errors.length > 0) throw new InvalidRequestError(errors);
      return { noteFields };
    });
    return this.toDtos(workspaceId, fields);
  }

  async listFields(workspaceId: string): Promise<NoteFieldDefinitionDto[]> {
    return this.toDtos(workspaceId, (await this.get(workspaceId)).fields);
  }

  /**
   * Replaces the types. Notes of a removed type retain it, without rules, until they get another.
   *
   * @throws {InvalidRequestError} if a type is not valid, or a field belongs to a removed one.
   */
  async changeTypes(workspaceId: string, sent: readonly NoteTypeDto[]): Promise<readonly NoteType[]> {
    const changed = await this.change(workspaceId, ({ statuses }) => {
      const toKey = (name: string) => findStatus(statuses, name)?.key ?? name;
      const noteTypes = sent.map(({ defaultStatus, statuses: own, transitions, ...type }) => ({
        ...type,
        defaultStatus: defaultStatus === undefined ? undefined : toKey(defaultStatus),
        statuses: own?.map(toKey),
        transitions: transitions?.map(({ from, to, role }) => ({ from: toKey(from), to: toKey(to), role })),
      }));
      return { noteTypes };
    });
    return changed.types;
  }

  /**
   * The fields whose values are rows of the table. Until the transaction ends, no other field gets the table.
   *
   * @param tableId of a locked table.
   */
  async listFieldsOfTable(workspaceId: string, tableId: string): Promise<NoteField[]> {
    const { settings } = await this.workspaces.getLocked(workspaceId);
    return fromSettings(settings).fields.filter((field) => field.tableId === tableId);
  }

  /**
   * Replaces one of the settings, if all rules fit together then.
   *
   * @param toChanges is called under the lock of the workspace.
   */
  private change(
    workspaceId: string,
    toChanges: (rules: NoteRules) => OwnRules | Promise<OwnRules>,
  ): Promise<NoteRules> {
    return this.database.transaction(async () => {
      const { settings } = await this.workspaces.getLocked(workspaceId);
      const changes = await toChanges(fromSettings(settings));
      const changed = await this.workspaces.changeSettings(workspaceId, changes as object, (all) => {
        const errors = findRuleErrors(fromSettings(all));
        if (errors.length > 0) throw new InvalidRequestError(errors);
      });
      return fromSettings(changed);
    });
  }

  private async findTable(
    workspaceId: string,
    idOrName: string,
    at: number,
    errors: FieldError[],
  ): Promise<string | undefined> {
    const found = await this.rows.findTables(workspaceId, idOrName);
    if (found.length === 1) return found[0]!.id;
    const field = `fields[${at}].table`;
    const name = idOrName.slice(0, 100);
    const tables = found.map(({ id, entity }) => `${id} (${entity})`).join(', ');
    errors.push(
      found.length === 0
        ? toRuleError(field, 'unknown_table', `the workspace has no table "${name}". Send the name or ID of a table.`)
        : toRuleError(
            field,
            'ambiguous_table',
            `several tables have the name "${name}". Send the ID of one: ${tables}.`,
          ),
    );
    return undefined;
  }

  /** With the names of the tables, or their IDs if several tables have the name, so that they can be sent again. */
  private async toDtos(workspaceId: string, fields: readonly NoteField[]): Promise<NoteFieldDefinitionDto[]> {
    const ids = fields.flatMap(({ tableId }) => tableId ?? []);
    const names = new Map<string, string>();
    for (const { id, name } of await this.rows.listTables(workspaceId, ids))
      if ((await this.rows.findTables(workspaceId, name)).length === 1) names.set(id, name);
    return fields.map(({ tableId, ...field }) => ({
      ...field,
      table: tableId === undefined ? undefined : (names.get(tableId) ?? tableId),
    }));
  }

  private async read(workspaceId: string): Promise<OwnRules> {
    const settings = await this.workspaces.settings(workspaceId);
    return Object.fromEntries(RULE_SETTINGS.map((name) => [name, settings[name]])) as OwnRules;
  }
}

function fromSettings({ noteStatuses, noteFields, noteTypes }: OwnRules): NoteRules {
  return {
    statuses: (noteStatuses ?? DEFAULT_STATUSES) as readonly NoteStatus[],
    fields: (noteFields ?? []) as readonly NoteField[],
    types: (noteTypes ?? [DEFAULT_TYPE]) as readonly NoteType[],
  };
}
