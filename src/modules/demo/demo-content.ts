import { createHash } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { uuid } from '../../../packages/sql/src/uuid.js';
import type { Upload } from '../../platform/body/upload.js';
import type { Principal } from '../../platform/security/principal.js';
import { NoteRulesService } from '../notes/note-rules.service.js';
import { NotesService } from '../notes/notes.service.js';
import { TagsService } from '../tours/tags.service.js';
import { ToursService } from '../tours/tours.service.js';
import { EditTablesService } from '../workspace-tables/admin/edit-tables.service.js';
import { BulkService } from '../workspace-tables/bulk/bulk.service.js';
import { type View, wholeView } from '../../../packages/tables/src/catalog/view.js';
import {
  DEMO_APPROVAL,
  DEMO_NOTE_FIELDS,
  DEMO_NOTES,
  DEMO_PHOTO,
  DEMO_TABLES,
  DEMO_TAGS,
  DEMO_TOUR,
} from './demo-plant.js';
import type { DemoIds } from './demo-workspace.js';

const OPTIONS = { continueOnError: false, dryRun: false, returnItems: false };

/** The content of the demo workspace: a plant, a tour with tags, notes, and the tables of the examples. */
@Injectable()
export class DemoContent {
  constructor(
    private readonly tables: BulkService,
    private readonly edits: EditTablesService,
    private readonly tours: ToursService,
    private readonly tags: TagsService,
    private readonly notes: NotesService,
    private readonly rules: NoteRulesService,
  ) {}

  /**
   * Creates what does not exist yet. The workspace must be committed, because files are stored outside the transaction.
   */
  async ensure({ workspaceId, projectId, userId }: DemoIds): Promise<void> {
    const caller: Principal = { userId, workspaceIds: [workspaceId], scopes: ['api'] };
    const view = wholeView(workspaceId);
    for (const batches of [DEMO_TABLES, BulkService.examples]) await this.tables.upsert(view, batches, OPTIONS);
    for (const table of DEMO_TABLES) await this.setOptions(view, table, { title: 'name' });
    await this.createProposals(view, userId);
    const { record: tour } = await this.tours.create(
      caller,
      { ...DEMO_TOUR, scenes: [...DEMO_TOUR.scenes], projectId },
      undefined,
    );
    for (const tag of DEMO_TAGS) await this.tags.create(caller, { ...tag, tourId: tour.id }, undefined);
    const { fields } = await this.rules.get(workspaceId);
    if (fields.length === 0) await this.rules.changeFields(workspaceId, DEMO_NOTE_FIELDS);
    await this.createNotes(caller);
  }

  /** Loads that wait for approval. */
  private async createProposals(view: View, userId: string): Promise<void> {
    const { table, options, loads } = DEMO_APPROVAL;
    await this.tables.upsert(view, [table], OPTIONS);
    const { entity, name } = table;
    await this.setOptions(view, table, options);
    const origin = { source: 'bulk', userId } as const;
    for (const items of loads) await this.tables.upsert(view, [{ entity, name, items }], { ...OPTIONS, origin });
  }

  private async setOptions(
    view: View,
    { entity, name }: (typeof DEMO_TABLES)[number] | typeof DEMO_APPROVAL.table,
    options: Parameters<EditTablesService['edit']>[1]['options'],
  ): Promise<void> {
    await this.edits.edit({ view, entity, table: name }, { options }, { role: 'owner' });
  }

  private async createNotes({ userId, workspaceIds, scopes }: Principal): Promise<void> {
    const photo = await drawPhoto();
    const author = { userId, source: 'workspace', workspaceIds, scopes } as const;
    try {
      for (const [index, note] of DEMO_NOTES.entries()) await this.notes.save(author, note, index === 0 ? [photo] : []);
    } finally {
      await rm(photo.path, { force: true });
    }
  }
}

async function drawPhoto(): Promise<Upload> {
  // Only the first start needs it.
  const { default: sharp } = await import('sharp');
  const content = await sharp(Buffer.from(DEMO_PHOTO)).jpeg({ quality: 80 }).toBuffer();
  const path = join(tmpdir(), `${uuid()}.jpg`);
  await writeFile(path, content);
  return {
    filename: 'leak-at-pump-1.jpg',
    contentType: 'image/jpeg',
    kind: 'image',
    size: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
    path,
  };
}
