import type { MigrationClass } from '../src/platform/database/data-source.js';
import { Platform1763710000000 } from './1763710000000-platform.js';
import { Workspaces1763710001000 } from './1763710001000-workspaces.js';
import { Users1763710002000 } from './1763710002000-users.js';
import { Auth1763710003000 } from './1763710003000-auth.js';
import { Audit1763710004000 } from './1763710004000-audit.js';
import { Sessions1763710005000 } from './1763710005000-sessions.js';
import { WorkspaceTables1763710006000 } from './1763710006000-workspace-tables.js';
import { LegacyWebhook1763710007000 } from './1763710007000-legacy-webhook.js';
import { Projects1763710008000 } from './1763710008000-projects.js';
import { Tours1763710009000 } from './1763710009000-tours.js';
import { Notes1763710010000 } from './1763710010000-notes.js';
import { Attachments1763710011000 } from './1763710011000-attachments.js';
import { VirtualStaging1763710012000 } from './1763710012000-virtual-staging.js';
import { Events1763710013000 } from './1763710013000-events.js';
import { Subscriptions1763710014000 } from './1763710014000-subscriptions.js';
import { AccessPolicies1763710015000 } from './1763710015000-access-policies.js';
import { Search1763710016000 } from './1763710016000-search.js';
import { Identity1763710019000 } from './1763710019000-identity.js';

/** All migrations, oldest first. A new one is added at the end. */
export const migrations: MigrationClass[] = [
  Platform1763710000000,
  Workspaces1763710001000,
  Users1763710002000,
  Auth1763710003000,
  Audit1763710004000,
  Sessions1763710005000,
  WorkspaceTables1763710006000,
  LegacyWebhook1763710007000,
  Projects1763710008000,
  Tours1763710009000,
  Notes1763710010000,
  Attachments1763710011000,
  VirtualStaging1763710012000,
  Events1763710013000,
  Subscriptions1763710014000,
  AccessPolicies1763710015000,
  Search1763710016000,
  Identity1763710019000,
];
