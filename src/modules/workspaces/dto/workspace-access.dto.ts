import { ApiProperty } from '@nestjs/swagger';
import { type Role, ROLES } from '../../../platform/security/roles.js';
import { type Scope, SCOPES } from '../../../platform/security/scopes.js';

export class WorkspaceAccessDto {
  @ApiProperty({ format: 'uuid' })
  userId: string;

  /** Of the membership. */
  @ApiProperty({ enum: ROLES, enumName: 'Role' })
  role: Role;

  /** All scopes that the credentials and the access policies grant, also those that others include. */
  @ApiProperty({ isArray: true, enum: SCOPES, enumName: 'Scope' })
  scopes: Scope[];
}
