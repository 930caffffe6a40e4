/** A heading with the text below it, for the search. */
export interface GuideSection {
  page: string;
  title: string;
  heading: string;
  anchor: string;
  text: string;
}
