import { ENTITY_BY_PATH, type EntityPath } from './entity-kind.js';

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
