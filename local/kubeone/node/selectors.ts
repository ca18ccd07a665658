/** Label and field selectors of list requests: `key=value`, `key==value`, `key!=value`, `key`, `!key`, with commas between them. */
import { at, type KubeObject } from './json.ts';
import { ApiFailure } from './status.ts';

type Selector = (object: KubeObject) => boolean;

export const labelSelector = (text: string): Selector => selector(text, (object, key) => object.metadata.labels?.[key]);

/** A missing field counts as an empty one. */
export const fieldSelector = (text: string): Selector =>
  selector(text, (object, key) => String(at(object, ...key.split('.')) ?? ''));

function selector(text: string, lookUp: (object: KubeObject, key: string) => string | undefined): Selector {
  const terms = text.split(',').map((term) => term.trim());
  const tests = terms.filter(Boolean).map((term): Selector => {
    const [, no, key = '', op, value = ''] = /^(!?)([^=!\s]+)\s*(?:(==|=|!=)\s*(\S*))?$/.exec(term) ?? [];
    if (key === '') throw new ApiFailure('BadRequest', `cannot read the selector ${term}`);
    if (op === undefined) return (object) => (lookUp(object, key) === undefined) === (no === '!');
    return (object) => (lookUp(object, key) === value) === (op !== '!=');
  });
  return (object) => tests.every((test) => test(object));
}
