export const PRODUCT = 'Atrium tables';

/** A browser shows the title of the screen in its tab and its history. */
export function setTitle(screen: string | null | undefined): void {
  document.title = screen ? `${screen} – ${PRODUCT}` : PRODUCT;
}
