/** How the database stores the tables, as it was when the service started. */
export class DatabaseLayout {
  /** @param isDistributed Are they distributed over the nodes of a cluster (Citus)? */
  constructor(readonly isDistributed: boolean) {}
}
