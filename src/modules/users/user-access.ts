/** Ends all by which a user is inside, in the transaction that suspends the user. Higher modules register one. */
export abstract class UserAccess {
  /** @returns how many sessions this ended. */
  abstract end(userId: string): Promise<number>;
}
