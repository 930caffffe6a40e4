/** Revokes the access of a user in the transaction that suspends the user. Higher modules register an implementation. */
export abstract class UserAccess {
  /** @returns the number of sessions that this revoked. */
  abstract revoke(userId: string): Promise<number>;
}
