import { normalText } from '../../platform/http/storable-text.decorator.js';

/** An email as it is kept and looked for: however it is written, it names one user. */
export function normalEmail(text: string): string {
  return normalText(text).toLowerCase();
}
