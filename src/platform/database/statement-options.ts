export interface StatementOptions {
  /** Plan the statement for its values each time, instead of preparing it? */
  planEachTime?: boolean;
}

/**
 * For statements whose best plan depends on their values or on the current size of a table: filters, merges, and all reads of
 * workspace tables, which a single request can fill with hundreds of thousands of rows (docs/explanation/performance.md#prepared-statements).
 */
export const PLAN_EACH_TIME: StatementOptions = { planEachTime: true };

/** The same for TypeORM's query builder, as its comment: `builder.comment(UNPREPARED)`. */
export const UNPREPARED = 'unprepared';
