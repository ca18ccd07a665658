/** Hides secret values in everything that leaves the runner: log lines, events, error messages. */

/** Shorter values are not masked: they would blank out ordinary words. */
const shortestSecret = 4;

/** Credentials that nobody registered but that show themselves by their form. */
const tellTales: readonly { readonly pattern: RegExp; readonly replacement: string }[] = [
  { pattern: /(\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@]+:)[^\s/@]+@/gi, replacement: '$1***@' },
  { pattern: /(client-key-data|client-certificate-data|token|password):\s*\S+/gi, replacement: '$1: ***' },
  {
    pattern: /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g,
    replacement: '*** private key ***',
  },
];

export class SecretMask {
  #values: string[] = [];

  /** Registers secret values; each line of a value with several lines is a secret of its own. */
  add(values: Iterable<string>): void {
    const known = new Set(this.#values);
    for (const value of values) {
      for (const form of formsOf(value)) if (form.length >= shortestSecret) known.add(form);
    }
    this.#values = [...known].sort((a, b) => b.length - a.length);
  }

  /** The text with every registered value and every tell-tale form replaced by `***`. */
  hide(text: string): string {
    let hidden = text;
    for (const value of this.#values) if (hidden.includes(value)) hidden = hidden.replaceAll(value, '***');
    for (const { pattern, replacement } of tellTales) hidden = hidden.replace(pattern, replacement);
    return hidden;
  }
}

/** A value as tools may print it: as it is, trimmed, line by line, JSON-escaped, base64, URL-encoded. */
function formsOf(value: string): readonly string[] {
  const trimmed = value.trim();
  const lines = trimmed
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => !/^-----(BEGIN|END) [A-Z ]+-----$/.test(line));
  return [
    ...(lines.length > 1 ? lines.filter((line) => line.length >= 8) : [trimmed]),
    JSON.stringify(trimmed).slice(1, -1),
    Buffer.from(value).toString('base64'),
    Buffer.from(trimmed).toString('base64'),
    encodeURIComponent(trimmed),
  ];
}
