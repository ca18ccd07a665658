/** JSON values as YAML that a person wants to edit. */

/** Two spaces for each level; strings are quoted where they would mean something else. */
export function yamlText(value: unknown): string {
  return `${lines(value).join('\n')}\n`;
}

function lines(value: unknown): readonly string[] {
  if (Array.isArray(value)) {
    if (value.length === 0) return ['[]'];
    return value.flatMap((item) => indented(lines(item), '- '));
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    if (entries.length === 0) return ['{}'];
    return entries.flatMap(([key, item]) => {
      const inner = lines(item);
      const [first = ''] = inner;
      const isBlock = typeof item === 'object' && item !== null && first !== '[]' && first !== '{}';
      return isBlock ? [`${scalar(key)}:`, ...inner.map((line) => `  ${line}`)] : [`${scalar(key)}: ${first}`];
    });
  }
  return [typeof value === 'string' ? scalar(value) : String(value)];
}

const indented = ([first = '', ...rest]: readonly string[], mark: string): readonly string[] => [
  `${mark}${first}`,
  ...rest.map((line) => `  ${line}`),
];

/** Plain only where no version of YAML reads anything else into it. */
function scalar(text: string): string {
  const plain = /^[A-Za-z_/][\w ./@-]*$/.test(text) && !text.endsWith(' ');
  const meant = /^(true|false|null|yes|no|on|off|y|n)$/i.test(text);
  return plain && !meant ? text : JSON.stringify(text);
}
