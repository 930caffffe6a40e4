import { normalText } from '../../platform/http/validation/text.decorators.js';

/** An email as it is kept and looked for: however it is written, it names one user. */
export function normalEmail(text: string): string {
  return normalText(text).toLowerCase();
}
