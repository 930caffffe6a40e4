import type { MigrationClass } from '../src/platform/database/data-source.js';
import { Workspaces1763700000000 } from './1763700000000-workspaces.js';
import { Users1763700001000 } from './1763700001000-users.js';
import { Clients1763700002000 } from './1763700002000-clients.js';
import { Sessions1763700003000 } from './1763700003000-sessions.js';
import { ApiKeys1763700004000 } from './1763700004000-api-keys.js';
import { SigningKeys1763700005000 } from './1763700005000-signing-keys.js';
import { WorkspaceTables1763700006000 } from './1763700006000-workspace-tables.js';
import { Projects1763700007000 } from './1763700007000-projects.js';
import { Tours1763700008000 } from './1763700008000-tours.js';
import { Audit1763700009000 } from './1763700009000-audit.js';
import { RateBuckets1763700010000 } from './1763700010000-rate-buckets.js';
import { SigningKeyRotation1763700011000 } from './1763700011000-signing-key-rotation.js';
import { IdempotencyKeys1763700012000 } from './1763700012000-idempotency-keys.js';
import { PublicNotes1763700013000 } from './1763700013000-public-notes.js';
import { Directory1763700014000 } from './1763700014000-directory.js';
import { Tags1763700015000 } from './1763700015000-tags.js';
import { Attachments1763700016000 } from './1763700016000-attachments.js';
import { Notes1763700017000 } from './1763700017000-notes.js';
import { LegacyTables1763700018000 } from './1763700018000-legacy-tables.js';
import { KeptRecords1763700019000 } from './1763700019000-kept-records.js';
import { Members1763700020000 } from './1763700020000-members.js';
import { Stagings1763700021000 } from './1763700021000-stagings.js';
import { NoteTimes1763700022000 } from './1763700022000-note-times.js';
import { Tombstones1763700023000 } from './1763700023000-tombstones.js';
import { TableImports1763700024000 } from './1763700024000-table-imports.js';
import { ColumnIndexes1763700025000 } from './1763700025000-column-indexes.js';
import { Invitations1763700026000 } from './1763700026000-invitations.js';
import { FormerTableNames1763700027000 } from './1763700027000-former-table-names.js';

/** All migrations, oldest first. A new one is added at the end. */
export const migrations: MigrationClass[] = [
  Workspaces1763700000000,
  Users1763700001000,
  Clients1763700002000,
  Sessions1763700003000,
  ApiKeys1763700004000,
  SigningKeys1763700005000,
  WorkspaceTables1763700006000,
  Projects1763700007000,
  Tours1763700008000,
  Audit1763700009000,
  RateBuckets1763700010000,
  SigningKeyRotation1763700011000,
  IdempotencyKeys1763700012000,
  PublicNotes1763700013000,
  Directory1763700014000,
  Tags1763700015000,
  Attachments1763700016000,
  Notes1763700017000,
  LegacyTables1763700018000,
  KeptRecords1763700019000,
  Members1763700020000,
  Stagings1763700021000,
  NoteTimes1763700022000,
  Tombstones1763700023000,
  TableImports1763700024000,
  ColumnIndexes1763700025000,
  Invitations1763700026000,
  FormerTableNames1763700027000,
];
