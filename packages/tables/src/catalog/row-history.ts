import type { CatalogTable } from './catalog-table.js';

/** Which tables store former rows, and for how long. */
export class RowHistory {
  /** @param defaultDays for tables without the option `historyDays`. */
  constructor(private readonly defaultDays: number) {}

  /** Days for which former rows remain; 0 if none are stored. */
  getDays({ options }: Pick<CatalogTable, 'options'>): number {
    return options.historyDays ?? this.defaultDays;
  }

  /** SQL: the time for which the table `alias` stores former rows, as an interval. */
  selectInterval(alias: string): string {
    return `make_interval(days => coalesce((${alias}.options->>'historyDays')::integer, ${this.defaultDays}))`;
  }

  /** Are the rows that the change ends stored? The differences of a proposal are those from its former rows. */
  isStored(table: Pick<CatalogTable, 'options'>, { mayNeedApproval }: { mayNeedApproval?: boolean } = {}): boolean {
    return mayNeedApproval === true || this.getDays(table) > 0;
  }
}
