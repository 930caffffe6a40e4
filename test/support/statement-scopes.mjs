const TOKEN =
  /\s+|--[^\n]*|\/\*[\s\S]*?\*\/|(?<literal>[eE]?'(?:[^'\\]|''|\\.)*'|\$\d+|\d[\w.]*)|"(?<quoted>[^"]+)"|(?<word>[a-z_][\w$]*)|(?<sign>::|<=|>=|<>|!=|[^\s\w])/giy;

const CLAUSES = new Set('select where set group order having limit offset returning values window for'.split(' '));
const SET_OPERATIONS = new Set(['union', 'intersect', 'except', ';']);
const QUERY_STARTS = new Set(['select', 'with', 'values', 'insert', 'update', 'delete', 'merge', 'table']);
/** Words after a table that are not its alias. */
const NO_ALIAS = new Set(
  [
    ...CLAUSES,
    ...SET_OPERATIONS,
    ...'join inner left right full cross natural on using as default do when'.split(' '),
  ].concat(['to', 'from', 'tablesample']),
);

/** @returns tokens: words in lower case, and an array for each pair of parentheses. */
function tokenize(statement) {
  const stack = [[]];
  for (const { groups } of statement.matchAll(TOKEN)) {
    const { literal, quoted, word, sign } = groups;
    if (sign === '(') stack.push([]);
    else if (sign === ')' && stack.length > 1) {
      const group = stack.pop();
      stack.at(-1).push(group);
    } else if (literal) stack.at(-1).push({ literal });
    else if (quoted ?? word ?? sign) stack.at(-1).push((quoted ?? word ?? sign).toLowerCase());
  }
  return stack[0];
}

let lastNumber = 0;

/** A use of a table, of a query in parentheses or of a function. */
class Use {
  isBound = false;
  links = new Set();

  constructor(table, isOwned) {
    this.number = ++lastNumber;
    this.table = table;
    this.isOwned = isOwned;
  }

  link(other) {
    this.links.add(other);
    other.links.add(this);
  }

  /** Is its workspace, or that of a use that it is joined with, determined by a value? */
  isRestricted(seen = new Set()) {
    if (this.isBound) return true;
    seen.add(this);
    return [...this.links].some((use) => !seen.has(use) && use.isRestricted(seen));
  }
}

/** The tables that a part of a statement can name. */
class Scope {
  uses = new Map();
  queries = new Set();

  constructor(parent) {
    this.parent = parent;
  }

  isQuery(name) {
    return this.queries.has(name) || (this.parent?.isQuery(name) ?? false);
  }

  find(alias) {
    return this.uses.get(alias) ?? this.parent?.find(alias);
  }

  /** The table of an unqualified `workspace_id`. */
  findOnly() {
    const owned = [...this.uses.values()].filter(({ isOwned }) => isOwned);
    if (owned.length > 0) return owned[0];
    return [...this.uses.values()].find(({ table }) => table === undefined) ?? this.parent?.findOnly();
  }
}

/**
 * The workspace-owned tables of a statement whose rows no condition limits to a workspace. A condition is an equality
 * of `workspace_id` in WHERE, ON or USING that applies to every row: not in the list of selected columns, in SET or in
 * one branch of OR.
 *
 * @param ownedTables a set of names.
 * @returns the names of the tables.
 */
export function findUnrestricted(statement, ownedTables) {
  const analysis = new Analysis(ownedTables);
  analysis.query(tokenize(statement), new Scope());
  return analysis.owned.filter((use) => !use.isRestricted()).map(({ table }) => table);
}

class Analysis {
  owned = [];

  constructor(ownedTables) {
    this.ownedTables = ownedTables;
  }

  query(tokens, scope) {
    let start = 0;
    for (let at = 0; at <= tokens.length; at++) {
      if (at < tokens.length && !SET_OPERATIONS.has(tokens[at])) continue;
      this.block(tokens.slice(start, at), new Scope(scope), scope);
      start = at + 1;
    }
  }

  /** One SELECT, INSERT, UPDATE or DELETE. */
  block(tokens, scope, outer) {
    const conditions = [];
    let clause = tokens[0] === 'with' ? 'with' : 'start';
    for (let at = 0; at < tokens.length; at++) {
      const token = tokens[at];
      if (clause === 'with' && Array.isArray(token)) {
        this.commonTable(tokens, at, scope, outer);
        continue;
      }
      const next = this.clauseAt(tokens, at, clause);
      if (next !== undefined) {
        clause = next;
        if (clause === 'on' || clause === 'where') conditions.push([]);
        else if (clause === 'table') at = this.use(tokens, at + 1, scope);
        continue;
      }
      if (clause === 'table' && token === ',') at = this.use(tokens, at + 1, scope);
      else if (clause === 'table' && token === 'using' && Array.isArray(tokens[at + 1]))
        this.joinUsing(tokens[++at], scope);
      else if (clause === 'on' || clause === 'where') conditions.at(-1).push(token);
      else if (Array.isArray(token)) this.nested(token, scope);
    }
    for (const condition of conditions) for (const apply of this.facts(condition, scope).values()) apply();
  }

  /** The clause that the token begins. */
  clauseAt(tokens, at, clause) {
    const [token, previous, next] = [tokens[at], tokens[at - 1], tokens[at + 1]];
    // A name after a dot or AS.
    if (previous === '.' || (previous === 'as' && clause !== 'with')) return undefined;
    if (token === 'from') return previous === 'distinct' && tokens[at - 2] === 'is' ? undefined : 'table';
    if (token === 'update') return ['do', 'for', 'key'].includes(previous) || next === 'set' ? 'other' : 'table';
    if (token === 'using') return Array.isArray(next) ? undefined : 'table';
    if (token === 'join' || token === 'into' || token === 'truncate') return 'table';
    if ((token === 'table' || token === 'copy') && at === 0) return 'table';
    if (token === 'on') return next === 'conflict' || previous === 'distinct' ? 'other' : 'on';
    if (['inner', 'left', 'right', 'full', 'cross', 'natural'].includes(token) && !Array.isArray(next)) return 'join';
    return CLAUSES.has(token) ? token : undefined;
  }

  /** `name (columns) AS MATERIALIZED (query)` */
  commonTable(tokens, at, scope, outer) {
    if (!tokens.slice(Math.max(0, at - 3), at).includes('as')) return;
    let name = at - 1;
    while (tokens[name] !== 'as') name--;
    if (Array.isArray(tokens[name - 1])) name--;
    scope.queries.add(tokens[name - 1]);
    this.query(tokens[at], scope, outer);
  }

  /** Registers the table at the position. @returns the position of its last token. */
  use(tokens, at, scope) {
    while (['only', 'lateral', 'table'].includes(tokens[at])) at++;
    const first = tokens[at];
    let use;
    let name;
    if (Array.isArray(first)) {
      this.nested(first, scope);
      use = new Use(undefined, false);
    } else {
      let schema = 'public';
      if (tokens[at + 1] === '.') {
        schema = first;
        at += 2;
      }
      name = tokens[at];
      const isTable = schema === 'public' && !scope.isQuery(name);
      use = new Use(isTable && !this.isCall(tokens, at) ? name : undefined, isTable && this.ownedTables.has(name));
      if (use.table === 'workspaces') use.isWorkspaces = true;
    }
    const listed = this.columnsOf(tokens, at);
    if (listed) {
      if (use.isOwned || use.table) use.isBound = listed.includes('workspace_id');
    } else if (Array.isArray(tokens[at + 1]) && !Array.isArray(first)) this.nested(tokens[++at], scope);
    if (use.isOwned) this.owned.push(use);
    // The rows of other sources are limited by their own conditions.
    else if (!use.isWorkspaces) use.isBound = true;
    let alias = name;
    if (tokens[at + 1] === 'as') at++;
    const next = tokens[at + 1];
    if (typeof next === 'string' && /^[a-z_]/.test(next) && (tokens[at] === 'as' || !NO_ALIAS.has(next))) {
      alias = next;
      at++;
    }
    // `AS alias (column, …)`
    if (alias !== name && !use.table && Array.isArray(tokens[at + 1])) at++;
    scope.uses.set(alias ?? Symbol('unnamed'), use);
    return at;
  }

  isCall(tokens, at) {
    return Array.isArray(tokens[at + 1]) && !this.columnsOf(tokens, at);
  }

  /** The columns of `INSERT INTO table AS alias (…)` or `COPY table (…)`. */
  columnsOf(tokens, at) {
    const start = Math.max(0, at - 4);
    const before = tokens.slice(start, at);
    if (!before.includes('into') && before.at(-1) !== 'copy') return undefined;
    return tokens.slice(at + 1, at + 4).find(Array.isArray);
  }

  joinUsing(columns, scope) {
    if (!columns.includes('workspace_id')) return;
    const uses = [...scope.uses.values()];
    for (const use of uses.slice(0, -1)) if (use.table !== 'workspaces') uses.at(-1).link(use);
  }

  /** Finds queries in parentheses. */
  nested(tokens, scope) {
    if (
      QUERY_STARTS.has(tokens[0]) ||
      (Array.isArray(tokens[0]) && tokens.some((token) => SET_OPERATIONS.has(token)))
    ) {
      this.query(tokens, scope);
      return;
    }
    for (const token of tokens) if (Array.isArray(token)) this.nested(token, scope);
  }

  /** @returns what the condition determines, by a key that is the same for the same fact in each branch of OR. */
  facts(condition, scope) {
    const branches = splitAt(condition, 'or').map((branch) => this.conjunction(branch, scope));
    const [first, ...others] = branches;
    return new Map([...first].filter(([key]) => others.every((other) => other.has(key))));
  }

  conjunction(tokens, scope) {
    const facts = new Map();
    for (const part of splitAt(tokens, 'and')) {
      for (const [key, apply] of this.comparison(part, scope)) facts.set(key, apply);
    }
    return facts;
  }

  comparison(tokens, scope) {
    if (tokens.length === 1 && Array.isArray(tokens[0]) && !QUERY_STARTS.has(tokens[0][0]))
      return this.facts(tokens[0], scope);
    for (const token of tokens) if (Array.isArray(token)) this.nested(token, scope);
    if (tokens.includes('not') || tokens[0] === 'exists') return new Map();
    const at = tokens.findIndex((token) => token === '=' || token === 'in');
    if (at < 0) return new Map();
    const sides = [this.side(tokens.slice(0, at), scope), this.side(tokens.slice(at + 1), scope)];
    const facts = new Map();
    for (const [own, other] of [sides, sides.toReversed()]) {
      if (!own.use) continue;
      if (other.use) {
        if (other.use !== own.use) facts.set(`${own.use.number}=${other.use.number}`, () => own.use.link(other.use));
      } else if (other.isValue) facts.set(`${own.use.number}=value`, () => (own.use.isBound = true));
    }
    return facts;
  }

  /** A side of a comparison: the workspace of a table, or a value. */
  side(tokens, scope) {
    const list =
      tokens.length === 1 && Array.isArray(tokens[0]) && !QUERY_STARTS.has(tokens[0][0]) ? tokens[0] : tokens;
    for (let at = 0; at < list.length; at++) {
      const qualifier = list[at - 1] === '.' ? list[at - 2] : undefined;
      const use = qualifier === undefined ? scope.findOnly() : scope.find(qualifier);
      const isWorkspace =
        list[at] === 'workspace_id' || (list[at] === 'id' && use?.isWorkspaces && qualifier !== undefined);
      if (isWorkspace && use) return { use };
    }
    const owned = list.some((token, at) => list[at + 1] === '.' && scope.find(token)?.isOwned);
    return { isValue: !owned };
  }
}

function splitAt(tokens, word) {
  const parts = [[]];
  for (const token of tokens) {
    if (token === word) parts.push([]);
    else parts.at(-1).push(token);
  }
  return parts;
}
