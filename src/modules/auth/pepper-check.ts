import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { SecretVault } from './secret-vault.js';

/**
 * Says at the start that the pepper is another than the one all credentials were stored under: then every caller is
 * refused, and nothing else would tell why. The service starts all the same, so that the operator can reissue them.
 */
@Injectable()
export class PepperCheck implements OnModuleInit {
  private readonly logger = new Logger('PepperCheck');

  constructor(
    private readonly database: Database,
    private readonly vault: SecretVault,
  ) {}

  async onModuleInit(): Promise<void> {
    // Of no credentials at all neither true nor false is said.
    const [row] = await this.database.query<{ ours: boolean | null }>(
      `SELECT bool_or(pepper_id = $1) AS ours
         FROM (SELECT pepper_id, revoked_at, expires_at FROM client_secrets
               UNION ALL
               SELECT pepper_id, revoked_at, expires_at FROM api_keys) credentials
        WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`,
      [this.vault.pepperId],
    );
    if (row?.ours !== false) return;
    this.logger.error(
      'CREDENTIAL_PEPPER: is not the one that the credentials in this database were stored under: no client secret and ' +
        'no API key will be accepted. Set the former one again, or reissue them.',
    );
  }
}
