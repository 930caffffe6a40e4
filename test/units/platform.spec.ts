import { joinSpecs } from '../support/join-specs.js';

joinSpecs('src/platform');
