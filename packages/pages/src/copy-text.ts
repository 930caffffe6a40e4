/**
 * Copies a text. Browsers offer the clipboard only to secure origins and to the same machine.
 *
 * @returns the outcome, as a button shows it.
 */
export const copyText = (text: string): Promise<string> => {
  const clipboard = navigator.clipboard as Clipboard | undefined;
  const copied = clipboard?.writeText(text) ?? Promise.reject(new Error('no clipboard'));
  return copied.then(
    () => 'Copied',
    () => 'Select the text',
  );
};
