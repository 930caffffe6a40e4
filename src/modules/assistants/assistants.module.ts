import { Module } from '@nestjs/common';
import { NotesModule } from '../notes/notes.module.js';
import { SearchModule } from '../search/search.module.js';
import { WorkspaceTablesModule } from '../workspace-tables/workspace-tables.module.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { AssistantsController } from './assistants.controller.js';
import { AssistantsService } from './assistants.service.js';
import { prepareMcpRequest } from './json-rpc-errors.js';
import { NamedTables } from './named-tables.js';
import { NoteTools } from './note-tools.js';
import { RowTools } from './row-tools.js';
import { TableTools } from './table-tools.js';

/** Tools for assistants by the Model Context Protocol (ADR 0233). */
@Module({
  imports: [NotesModule, SearchModule, WorkspaceTablesModule, WorkspacesModule],
  controllers: [AssistantsController],
  providers: [AssistantsService, NamedTables, NoteTools, RowTools, TableTools],
})
export class AssistantsModule {
  static readonly prepareRequest = prepareMcpRequest;
}
