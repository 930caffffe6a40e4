import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { NotFoundError } from '../../../packages/errors/src/domain-error.js';
import type { PageQueryDto } from '../../platform/http/page.dto.js';
import type { Page } from '../../../packages/sql/src/page-reader.js';
import { getRowPage } from '../../records/row-pages.repository.js';
import { joinAcceptedMembership, toClientPolicy } from '../users/users.clauses.js';
import type { OAuthClientDto } from './dto/oauth-client.dto.js';
import { isWellFormedSecret } from './secrets.js';

/** The clients of the members of a workspace: those of invited users would show that the service knows these users. */
const SELECT_CLIENTS = `
  SELECT c.client_id AS id, c.user_id AS "userId", c.allowed_scopes AS scopes, c.status, ${toClientPolicy('c.client_id')} AS "policyId",
         c.created_at AS "createdAt"
    FROM oauth_clients c ${joinAcceptedMembership('$1', 'c.user_id')}`;

const isClientId = (id: unknown) => typeof id === 'string' && isWellFormedSecret('wsc_', id);

/** Reads of the OAuth clients of a workspace, which join the memberships. */
@Injectable()
export class WorkspaceClientsRepository {
  constructor(private readonly database: Database) {}

  /** The newest first. @throws {InvalidCursorError} */
  findPage(workspaceId: string, { limit, cursor }: PageQueryDto): Promise<Page<OAuthClientDto>> {
    const statement = { sql: SELECT_CLIENTS, parameters: [workspaceId], sized: ['id'] };
    const query = { limit, cursor, sort: '-createdAt', idType: { isValid: isClientId } };
    return getRowPage<OAuthClientDto>(this.database, ['clients', workspaceId], statement, query);
  }

  /** @throws {NotFoundError} */
  async get(workspaceId: string, id: string): Promise<OAuthClientDto> {
    const [client] = isClientId(id)
      ? await this.database.query<OAuthClientDto>(`${SELECT_CLIENTS} WHERE c.client_id = $2`, [workspaceId, id])
      : [];
    if (!client) throw new NotFoundError('The client');
    return client;
  }
}
