import { AuthModule } from './modules/auth/auth.module.js';
import { EventsService } from './modules/events/events.service.js';
import type { OperationNames } from './api-docs/operation-ids.js';
import type { ApiReference, ApiTag } from './api-docs/reference.js';
import { ArchivableRecordDto } from './records/archivable-record.dto.js';

/** Order, descriptions and guides of the groups of operations. The sentences are shown in Swagger UI. */
const TAGS: readonly ApiTag[] = [
  {
    name: 'Start here',
    description:
      'Press *Authorize*, then list your workspaces: most paths need the ID of one. Every operation below is filled in with ' +
      'an example that runs as it is.',
    guide: 'authentication',
  },
  {
    name: 'Authentication',
    description:
      'Client credentials give an access token of 15 minutes and a refresh token. A user has at most ten sessions, so end ' +
      'those that are not needed.',
    guide: 'authentication',
  },
  {
    name: 'Tables: push',
    description:
      'Send master data in bulk: rows are created or updated by their primary key, all or nothing. The first batch of a ' +
      'table contains its columns.',
    guide: 'tables',
  },
  {
    name: 'Tables: read',
    description:
      'Read rows page by page with filters, or export all of them as CSV or NDJSON. The change feed returns what changed ' +
      'since a revision.',
    guide: 'tables',
  },
  {
    name: 'Tables: single rows',
    description:
      'Read, replace, change, delete or rename one row by its primary key. The operations with `item?key=` accept keys that ' +
      'contain a slash, or are `.` or `..`.',
    guide: 'tables',
  },
  {
    name: 'Tables: administration',
    description:
      'List tables and their columns, rename them, add indexes, and drop columns or tables. Dropping is permanent.',
    guide: 'tables',
  },
  {
    name: 'Tables: imports',
    description:
      'Load a CSV or NDJSON file of any length into an existing table with one request. Another request reads its progress ' +
      'or cancels it.',
    guide: 'importing',
  },
  {
    name: 'Tables: batches',
    description:
      'Each request that writes many rows is a batch. Undo restores the rows as they were before it, unless they have changed since.',
    guide: 'importing',
  },
  {
    name: 'Notes',
    description:
      'Notes on projects, tours and tags, with files, messages and a history. Send JSON, or a form if you upload files.',
    guide: 'notes',
  },
  {
    name: 'Workspace notes',
    description:
      'The same notes, on locations and assets of workspace tables. The statuses that notes of a workspace can have are ' +
      'defined here.',
    guide: 'notes',
  },
  {
    name: 'Public notes',
    description:
      'Notes without credentials, for forms that anonymous callers fill in. They are deprecated; use the operations of Notes ' +
      'with credentials.',
    guide: 'notes',
  },
  {
    name: 'Attachments',
    description:
      'Files of notes and virtual stagings, and thumbnails of pictures. The signed URLs that notes contain need no credentials.',
    guide: 'notes',
  },
  {
    name: 'Projects',
    description: 'A project groups tours and notes of a workspace. Archived projects can be restored.',
    guide: 'records',
  },
  {
    name: 'Tours',
    description: 'A 3D tour belongs to a project and has tags. Create many tours with one request.',
    guide: 'records',
  },
  {
    name: 'Tags',
    description: 'A tag marks a point in a tour and can name a location or an asset. Its ID is a number.',
    guide: 'records',
  },
  {
    name: 'Virtual staging',
    description:
      'Queue pictures of rooms for rendering. Renderers claim jobs, add variations, and complete them or report a failure.',
    guide: 'virtual-staging',
  },
  {
    name: 'Events',
    description:
      'What happened in a workspace, in order. Read it with a cursor, or subscribe to it: then it is sent as signed webhooks.',
    guide: 'events',
  },
  {
    name: 'Users',
    description:
      'Users of your workspaces and the invitations that you received. A user whom you add is invited and decides.',
    guide: 'records',
  },
  {
    name: 'Analytics',
    description: 'Counts of notes, tours and tables, also per day, week or month. Archived records are not counted.',
    guide: 'analytics',
  },
  {
    name: 'Legacy webhook',
    description:
      'The former path for master data, with an API key. New integrations use Tables: push, which writes the same tables.',
    guide: 'migrating-from-the-webhook',
  },
  {
    name: 'Operations',
    description: 'Health checks for load balancers, and metrics for Prometheus. They need no credentials.',
    guide: 'operating',
  },
];

const OPERATION_NAMES: OperationNames = {
  'Health.live': 'getLiveness',
  'Health.ready': 'getReadiness',
  'Health.scrape': 'getMetrics',
  'Discovery.keySet': 'getKeySet',
  'Discovery.authorizationServer': 'getAuthorizationServer',
  'OAuth2.token': 'issueToken',
  'OAuth2.logout': 'logout',
  'OAuth2.revoke': 'revokeToken',
  'LegacyWebhook.push': 'pushLegacyRecords',
  'Notes.save': 'saveNote',
  'Notes.addMessage': 'addNoteMessage',
  'Notes.feed': 'readNoteFeed',
  'Notes.messages': 'listNoteMessages',
  'Notes.history': 'listNoteEvents',
  'WorkspaceNotes.addMessage': 'addWorkspaceNoteMessage',
  'WorkspaceNotes.feed': 'readWorkspaceNoteFeed',
  'WorkspaceNotes.messages': 'listWorkspaceNoteMessages',
  'WorkspaceNotes.history': 'listWorkspaceNoteEvents',
  'NoteStatuses.get': 'listNoteStatuses',
  'NoteStatuses.change': 'replaceNoteStatuses',
  'PublicNotes.saveThread': 'savePublicNote',
  'PublicNotes.saveThreadMessage': 'addPublicNoteMessage',
  'Attachments.file': 'downloadAttachment',
  'Attachments.thumbnail': 'downloadThumbnail',
  'PublicAttachments.file': 'downloadPublicAttachment',
  'PublicAttachments.thumbnail': 'downloadPublicThumbnail',
  'Renderers.claim': 'claimVirtualStaging',
  'Renderers.heartbeat': 'renewVirtualStagingClaim',
  'Renderers.addVariations': 'addVirtualStagingVariations',
  'Renderers.complete': 'completeVirtualStaging',
  'Renderers.fail': 'failVirtualStaging',
  'Analytics.overview': 'getAnalyticsOverview',
  'Analytics.notes': 'getNoteAnalytics',
  'Analytics.tours': 'getTourAnalytics',
  'Analytics.tables': 'getTableAnalytics',
  'Bulk.locations': 'upsertLocations',
  'Bulk.assets': 'upsertAssets',
  'Bulk.lists': 'upsertLists',
  'Bulk.tables': 'upsertTables',
  'Batches.undo': 'undoBatch',
  'DeleteRows.delete': 'deleteRows',
  'QueryRows.locations': 'readLocations',
  'QueryRows.assets': 'readAssets',
  'QueryRows.lists': 'readLists',
  'QueryRows.query': 'queryRows',
  'QueryRows.export': 'exportRows',
  'TableReads.children': 'listChildRows',
  'TableReads.childrenByKey': 'listChildRowsByKey',
  'TableReads.unresolved': 'listUnresolvedReferences',
  'TableReads.changes': 'listRowChanges',
  'Row.get': 'getRow',
  'Row.getByKey': 'getRowByKey',
  'Row.put': 'putRow',
  'Row.putByKey': 'putRowByKey',
  'Row.patch': 'patchRow',
  'Row.patchByKey': 'patchRowByKey',
  'Row.delete': 'deleteRow',
  'Row.deleteByKey': 'deleteRowByKey',
  'Row.path': 'getRowPath',
  'Row.pathByKey': 'getRowPathByKey',
  'Row.rename': 'renameRow',
  'Row.renameByKey': 'renameRowByKey',
  'Tables.edit': 'editTable',
  'Tables.createIndex': 'createIndex',
  'Tables.dropIndex': 'dropIndex',
  'Tables.drop': 'dropTable',
  'Tables.dropColumn': 'dropColumn',
  'Imports.import': 'importRows',
  'Imports.compare': 'compareRows',
  'Imports.importTables': 'importTables',
  'Imports.errors': 'downloadImportErrors',
  'Subscriptions.rotateSecret': 'replaceSubscriptionSecret',
  'Subscriptions.ping': 'pingSubscription',
  'Subscriptions.replay': 'replayEvents',
  'Subscriptions.listDeliveries': 'listDeliveries',
  'Subscriptions.redeliver': 'repeatDelivery',
};

export const API_REFERENCE: ApiReference = {
  tokenPath: AuthModule.tokenPath,
  operationNames: OPERATION_NAMES,
  tags: TAGS,
  recordModels: [ArchivableRecordDto],
  webhooks: {
    envelope: 'EventDto',
    list: EventsService.listTypes,
    withoutData: { ping: 'A test.' },
  },
};
