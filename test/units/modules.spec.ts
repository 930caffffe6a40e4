import { joinSpecs } from '../support/join-specs.js';

joinSpecs('src/modules', ['src/modules/workspace-tables']);
