/** What is on the nodes of a cluster that do not respond, and on the others. */
export interface UnreachableParts {
  /** Fixed tables that are distributed by workspace. */
  tables: readonly string[];
  /** Workspaces whose fixed rows are on nodes that respond. */
  reachable: ReadonlySet<string>;
  /** Workspaces whose fixed rows are on the other nodes. */
  unreachable: ReadonlySet<string>;
  /** Schemas of workspaces whose tables are on the other nodes. */
  schemas: ReadonlySet<string>;
  /** Does one of the nodes that do not respond store all definitions? */
  hasMetadata: boolean;
  /** SQL: the list of workspaces by which statements on all of them are restricted. */
  restriction: string;
}

/** A statement of node-postgres, as it is sent. */
export interface SentStatement {
  text: string;
  values?: unknown;
}

const SCHEMAS = /\bws_[0-9a-f]{32}\b/g;
const UUIDS = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;

/** Changes of definitions, which all nodes with metadata store. An unlogged table is only on the node of its workspace (ADR 0075). */
const ON_ALL_NODES = /^\s*(?:CREATE (?:TABLE|SCHEMA)|ALTER TABLE|DROP TABLE)\b/i;

/** A change of `workspaces`, of which each node has a copy. */
const CHANGES_COPIES =
  /\b(?:INTO|UPDATE|DELETE FROM) "?workspaces\b|\bFROM "?workspaces"?\s.*\bFOR (?:NO KEY )?UPDATE\b/is;

const TRANSACTION_CONTROL = /^\s*(?:$|(?:COMMIT|ROLLBACK|SAVEPOINT|RELEASE|START|BEGIN|SET|PREPARE)\b)/i;

/**
 * Finds statements that need a node that does not respond. A statement on fixed tables of one workspace contains its ID, one on tables of a
 * workspace the name of its schema; a statement without either needs all nodes, as does a change of definitions.
 */
export class UnreachableStatements {
  private readonly tables: RegExp | undefined;

  constructor(private readonly parts: UnreachableParts) {
    this.tables = parts.tables.length > 0 ? new RegExp(`\\b(?:${parts.tables.join('|')})\\b`) : undefined;
  }

  includes({ text, values }: SentStatement): boolean {
    if ((this.parts.hasMetadata && ON_ALL_NODES.test(text)) || CHANGES_COPIES.test(text)) return true;
    if (text.match(SCHEMAS)?.some((schema) => this.parts.schemas.has(schema))) return true;
    if (!this.tables?.test(text) || text.includes(this.parts.restriction)) return false;
    return this.needsUnreachableRows(text, values);
  }

  /** The same for a statement without a response: also the end of a transaction, which names no workspace. */
  mayInclude(statement: SentStatement): boolean {
    return TRANSACTION_CONTROL.test(statement.text) || this.includes(statement);
  }

  private needsUnreachableRows(text: string, values: unknown): boolean {
    const { reachable, unreachable } = this.parts;
    let isRestricted = false;
    for (const id of listTexts(text, values)) {
      if (unreachable.has(id)) return true;
      isRestricted ||= reachable.has(id);
    }
    return !isRestricted;
  }
}

function* listTexts(text: string, values: unknown): Generator<string> {
  for (const value of Array.isArray(values) ? values.flat() : []) if (typeof value === 'string') yield value;
  yield* text.match(UUIDS) ?? [];
}
