/** Which strings of a schema are open: without a pattern, a format, an enum or words that are cut and escaped. */
import type { z } from 'zod';

interface Definition {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** Paths of the open strings of `schema`; `*` is any key or item. */
export function openTexts(schema: z.core.$ZodType, path = ''): readonly string[] {
  const inner = (one: unknown, name = '') => openTexts(one as z.core.$ZodType, `${path}${name}`);
  const definition = schema._zod.def as unknown as Definition;
  switch (definition.type) {
    case 'string': {
      const { format, checks = [] } = definition as unknown as {
        format?: string;
        checks?: readonly { _zod: { def: { format?: string } } }[];
      };
      return format !== undefined || checks.some((check) => check._zod.def.format !== undefined) ? [] : [path || '.'];
    }
    case 'object': {
      const { shape, catchall } = definition as unknown as { shape: Record<string, unknown>; catchall?: unknown };
      const open = catchall !== undefined && (catchall as z.core.$ZodType)._zod.def.type === 'unknown';
      return [
        ...(open ? [`${path}.*`] : []),
        ...Object.entries(shape).flatMap(([key, value]) => inner(value, `.${key}`)),
      ];
    }
    case 'record':
      return [...inner(definition.keyType, '.key'), ...inner(definition.valueType, '.*')];
    case 'array':
      return inner(definition.element, '.*');
    case 'set':
      return inner(definition.valueType, '.*');
    case 'tuple':
      return (definition.items as unknown[]).flatMap((item, index) => inner(item, `.${index}`));
    case 'union':
      return (definition.options as unknown[]).flatMap((option) => inner(option));
    case 'intersection':
      return [...inner(definition.left), ...inner(definition.right)];
    case 'pipe': {
      // Words that are cut and escaped: a string, then a transform. Anything else is judged on its input.
      const [from, to] = [definition.in, definition.out] as z.core.$ZodType[];
      // What goes before the parse is not what is kept.
      if (from?._zod.def.type === 'transform') return inner(to);
      return from?._zod.def.type === 'string' && to?._zod.def.type === 'transform' ? [] : inner(from);
    }
    case 'optional':
    case 'nullable':
    case 'nonoptional':
    case 'default':
    case 'prefault':
    case 'catch':
    case 'readonly':
      return inner(definition.innerType);
    case 'lazy':
      return [];
    case 'unknown':
    case 'any':
      return [path || '.'];
    default:
      return [];
  }
}
