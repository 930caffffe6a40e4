import type { MigrationClass } from '../src/platform/database/data-source.js';
import { Platform1763700000000 } from './1763700000000-platform.js';
import { Workspaces1763700001000 } from './1763700001000-workspaces.js';
import { Users1763700002000 } from './1763700002000-users.js';
import { Auth1763700003000 } from './1763700003000-auth.js';
import { Audit1763700004000 } from './1763700004000-audit.js';
import { Sessions1763700005000 } from './1763700005000-sessions.js';
import { WorkspaceTables1763700006000 } from './1763700006000-workspace-tables.js';
import { LegacyWebhook1763700007000 } from './1763700007000-legacy-webhook.js';
import { Projects1763700008000 } from './1763700008000-projects.js';
import { Tours1763700009000 } from './1763700009000-tours.js';
import { Notes1763700010000 } from './1763700010000-notes.js';
import { Attachments1763700011000 } from './1763700011000-attachments.js';
import { VirtualStaging1763700012000 } from './1763700012000-virtual-staging.js';
import { Events1763700013000 } from './1763700013000-events.js';
import { Subscriptions1763700014000 } from './1763700014000-subscriptions.js';
import { MembershipStatus1763700015000 } from './1763700015000-membership-status.js';
import { Tombstones1763700016000 } from './1763700016000-tombstones.js';
import { Proposals1763700017000 } from './1763700017000-proposals.js';
import { MembershipRoles1763700018000 } from './1763700018000-membership-roles.js';
import { ApiKeyScopes1763700019000 } from './1763700019000-api-key-scopes.js';
import { AccessPolicies1763700020000 } from './1763700020000-access-policies.js';
import { WorkspaceAudit1763700021000 } from './1763700021000-workspace-audit.js';
import { RowHistory1763700022000 } from './1763700022000-row-history.js';
import { Search1763700040000 } from './1763700040000-search.js';
import { RestrictedLoads1763700044000 } from './1763700044000-restricted-loads.js';
import { ClientPolicies1763700045000 } from './1763700045000-client-policies.js';
import { SubscriptionOwners1763700046000 } from './1763700046000-subscription-owners.js';
import { SubscriptionPolicies1763700047000 } from './1763700047000-subscription-policies.js';
import { FailedIndexes1763700058000 } from './1763700058000-failed-indexes.js';
import { PolicyTableIds1763700070000 } from './1763700070000-policy-table-ids.js';
import { SearchForms1763700072000 } from './1763700072000-search-forms.js';
import { LocationTables1763700073000 } from './1763700073000-location-tables.js';

/** All migrations, oldest first. A new one is added at the end. */
export const migrations: MigrationClass[] = [
  Platform1763700000000,
  Workspaces1763700001000,
  Users1763700002000,
  Auth1763700003000,
  Audit1763700004000,
  Sessions1763700005000,
  WorkspaceTables1763700006000,
  LegacyWebhook1763700007000,
  Projects1763700008000,
  Tours1763700009000,
  Notes1763700010000,
  Attachments1763700011000,
  VirtualStaging1763700012000,
  Events1763700013000,
  Subscriptions1763700014000,
  MembershipStatus1763700015000,
  Tombstones1763700016000,
  Proposals1763700017000,
  MembershipRoles1763700018000,
  ApiKeyScopes1763700019000,
  AccessPolicies1763700020000,
  WorkspaceAudit1763700021000,
  RowHistory1763700022000,
  Search1763700040000,
  RestrictedLoads1763700044000,
  ClientPolicies1763700045000,
  SubscriptionOwners1763700046000,
  SubscriptionPolicies1763700047000,
  FailedIndexes1763700058000,
  PolicyTableIds1763700070000,
  SearchForms1763700072000,
  LocationTables1763700073000,
];
