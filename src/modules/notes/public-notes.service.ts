import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { ProjectsService } from '../projects/projects.service.js';
import { WorkspacesService } from '../workspaces/workspaces.service.js';
import type { NoteInput } from './note-input.js';
import { type ProjectPlace, NoteParents } from './note-parents.js';
import { PublicNotesOffError } from './notes.errors.js';

/** What strangers may do (specification, section 4.9). */
@Injectable()
export class PublicNotesService {
  constructor(
    private readonly places: NoteParents,
    private readonly projects: ProjectsService,
    private readonly workspaces: WorkspacesService,
    private readonly config: Config,
  ) {}

  /** The place of a stranger's note. @throws {InvalidNoteError | PublicNotesOffError} */
  async place(named: Pick<NoteInput, 'projectId' | 'tagId' | 'tourId'>): Promise<ProjectPlace> {
    this.requireService();
    const place = await this.places.project('any', named);
    await this.requireOpen(place.workspaceId, place.projectId);
    return place;
  }

  /** Off for the service, for the workspace, or for the project: each is enough. @throws {PublicNotesOffError} */
  async requireOpen(workspaceId: string, projectId: string | null): Promise<void> {
    this.requireService();
    const { publicNotes = true } = await this.workspaces.settings(workspaceId);
    const project = projectId ? await this.projects.find([workspaceId], projectId) : undefined;
    if (!publicNotes || project?.publicNotes === false) throw new PublicNotesOffError();
  }

  private requireService(): void {
    if (!this.config.notes.publicNotes) throw new PublicNotesOffError();
  }
}
