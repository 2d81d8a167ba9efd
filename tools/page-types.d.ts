// What `tsc` cannot know about the scripts of pages (see jsconfig.json).

// Scripts query their own pages, so they know the kind of element that an event or a query gives.
interface KnownElement {
  checked: boolean;
  content: string;
  dataset: DOMStringMap;
  disabled: boolean;
  hidden: boolean;
  name: string;
  open: boolean;
  selectionStart: number | null;
  style: CSSStyleDeclaration;
  tabIndex: number;
  value: any;
  checkValidity(): boolean;
  click(): void;
  close(): void;
  focus(options?: FocusOptions): void;
  showModal(): void;
}
interface Element extends KnownElement {}
interface EventTarget extends KnownElement {
  id: string;
  closest(selectors: string): Element | null;
  matches(selectors: string): boolean;
}
interface Event {
  shiftKey: boolean;
}
interface Window {
  // The library that draws charts, joined to a page that has some.
  vegaEmbed(place: Element, spec: object, options: object): Promise<{ finalize(): void; view: any }>;
}
