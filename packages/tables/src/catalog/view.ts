import { ENTITY_BY_PATH, type EntityKind, type EntityPath } from './entity-kind.js';

/**
 * What is visible of the tables of a workspace: an argument of every read and write of them, and a field of the tables
 * that were read (ADR 0161).
 */
export interface View {
  readonly workspaceId: string;
  /** The access policies that restrict the tables; all of them apply. Without any, all rows and columns are visible. */
  readonly policies: readonly TablePolicy[];
  /**
   * Subtrees, in all tables of an entity, to which the caller is limited elsewhere, for example in notes: a write does
   * not extend them (`writer/subtree-guard.ts`).
   */
  readonly subtrees?: readonly Subtree[];
  /** The former moment whose rows are read; absent: now. */
  readonly moment?: Moment;
}

/** The row with a key, and those below it, in all tables of an entity. */
export interface Subtree {
  readonly entity: EntityKind;
  readonly root: string;
}

/** The rules for tables of an access policy. */
export interface TablePolicy {
  readonly id: string;
  /** Increases with each change of the policy. */
  readonly version: number;
  readonly rules: readonly TableRule[];
}

/** The entities of tables, as paths and policies name them. */
export const POLICY_ENTITIES = Object.keys(ENTITY_BY_PATH) as EntityPath[];
export type PolicyEntity = EntityPath;

/** In place of the name of a table: all tables of the entity that no other rule names. */
export const ANY_TABLE = '*';

/** What a policy permits in the tables of one entity. */
export interface TableRule {
  entity: PolicyEntity;
  /** The name of a table in any letter case, its ID, or `ANY_TABLE`. Stored: the ID of a table that exists. */
  table: string;
  /** Only the row with this key and the rows below it. */
  under?: string;
  /** Only rows that match, in the form of the query of rows. */
  filter?: Record<string, unknown>;
  columns?: {
    /** Keys of columns that do not exist for the caller. */
    hidden?: string[];
    /** Keys of columns that the caller may read, but not change. */
    readOnly?: string[];
  };
  /** May the caller change rows? Default: no. */
  write?: boolean;
}

/** A moment in the history of a table. */
export interface Moment {
  readonly tableId: string;
  /** The revision of the table. */
  readonly revision: number;
  /** Other tables are read as of this time. */
  readonly at: Date;
}

/** All tables, columns and rows, whatever the caller may see: for work whose results the caller does not see. */
export function wholeView(workspaceId: string): View {
  return { workspaceId, policies: [] };
}

export function isRestricted({ policies }: View): boolean {
  return policies.length > 0;
}

/** Identifies the policies as they are, for caches and versions. Undefined if there are none. */
export function findPolicyVersion({ policies }: View): string | undefined {
  return policies.length === 0 ? undefined : policies.map(({ id, version }) => `${id}.${version}`).join('+');
}
