/** A template as a tree of nodes; `at` is the place in its document. */
import type { ValueReference } from './expressions.ts';

type Place = readonly PropertyKey[];

export type TemplateNode =
  | { readonly kind: 'literal'; readonly at: Place; readonly value: unknown }
  | { readonly kind: 'value'; readonly at: Place; readonly reference: ValueReference }
  | { readonly kind: 'text'; readonly at: Place; readonly parts: readonly (string | ValueReference)[] }
  | { readonly kind: 'list'; readonly at: Place; readonly items: readonly TemplateNode[] }
  | { readonly kind: 'map'; readonly at: Place; readonly fields: readonly (readonly [string, TemplateNode])[] }
  | {
      readonly kind: 'if';
      readonly at: Place;
      readonly condition: TemplateCondition;
      readonly yes: TemplateNode;
      readonly no?: TemplateNode;
    }
  | {
      readonly kind: 'for';
      readonly at: Place;
      /** Names of the variables in `body`. */
      readonly item: string;
      readonly key?: string;
      readonly list: ValueReference;
      readonly body: TemplateNode;
    }
  | {
      readonly kind: 'include';
      readonly at: Place;
      /** `name@version`; absent: this template. */
      readonly template?: string;
      readonly part: string;
      readonly args: readonly (readonly [string, TemplateNode])[];
    };

export type TemplateCondition =
  /** The value is true. */
  | { readonly kind: 'true'; readonly at: Place; readonly reference: ValueReference }
  | { readonly kind: 'defined'; readonly at: Place; readonly reference: ValueReference }
  | { readonly kind: 'equals'; readonly at: Place; readonly one: TemplateNode; readonly other: TemplateNode }
  | { readonly kind: 'not'; readonly at: Place; readonly inner: TemplateCondition }
  | { readonly kind: 'all' | 'any'; readonly at: Place; readonly inner: readonly TemplateCondition[] };
