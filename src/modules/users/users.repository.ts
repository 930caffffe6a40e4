import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';

/** Statements on users that lock rows. */
@Injectable()
export class UsersRepository {
  constructor(private readonly database: Database) {}

  /** Locks the row until the transaction ends. */
  async lock(id: string): Promise<void> {
    await this.database.query('SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE', [id]);
  }

  /**
   * Creates the missing users with these email addresses and locks all of them: in the order of the addresses, so that
   * concurrent requests with the same users cannot deadlock.
   *
   * @returns the IDs by email address.
   */
  async createAndLock(emails: readonly string[]): Promise<Map<string, string>> {
    await this.database.affected(
      `INSERT INTO users (id, email) SELECT id, email FROM unnest($1::uuid[], $2::text[]) AS new (id, email)
        ORDER BY email ON CONFLICT (email) DO NOTHING`,
      [emails.map(() => randomUUID()), emails],
    );
    const users = await this.database.query<{ id: string; email: string }>(
      'SELECT id, email FROM users WHERE email = ANY ($1::text[]) ORDER BY email FOR NO KEY UPDATE',
      [emails],
    );
    // The operator deleted a user whom the INSERT still found.
    if (users.length < new Set(emails).size) return this.createAndLock(emails);
    return new Map(users.map(({ id, email }) => [email, id]));
  }
}
