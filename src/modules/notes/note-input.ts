import type { NoteSource } from './note.entity.js';

/** What a caller says of a note, on whichever surface. What is not named stays as it is; null clears. */
export interface NoteInput {
  externalId?: string | null;
  title?: string | null;
  description?: string | null;
  status?: string | null;
  priority?: string | null;
  assignee?: string | null;
  reporter?: string | null;
  scheduledDate?: Date | null;
  dueDate?: Date | null;
  customFields?: Record<string, string> | null;
  projectId?: string | null;
  tagId?: number | null;
  tourId?: string | null;
  location?: string | null;
  locationKey?: string | null;
  asset?: string | null;
  assetKey?: string | null;
}

/** Who writes, and on which surface; strangers have no user id. */
export interface Author {
  userId: string | null;
  source: NoteSource;
}

/** The workspaces somebody may reach: strangers reach any, since what they may do there is checked apart. */
export type Reach = readonly string[] | 'any';
