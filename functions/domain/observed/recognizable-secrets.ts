/** Credentials that no one has registered and that can be recognised by their form. Pure. */

const recognizable: readonly { readonly sign: RegExp; readonly pattern: RegExp; readonly replacement: string }[] = [
  { sign: /:\/\//, pattern: /(:\/\/[^\s/:@]{1,500}:)[^\s/@]{1,2000}@/g, replacement: '$1***@' },
  {
    // What a node joins with, for an hour (kubeadm): KubeOne prints it with the script that failed.
    sign: /[a-z0-9]{6}\.[a-z0-9]{16}/,
    pattern: /(?<=\\[nrt]|(?<![\w.-]))([a-z0-9]{6})\.[a-z0-9]{16}(?![\w-]|\.\w)/g,
    replacement: '$1.***',
  },
  {
    sign: /(data|token|password):/i,
    pattern: /(client-key-data|client-certificate-data|token|password):\s{0,100}\S+/gi,
    replacement: '$1: ***',
  },
  {
    sign: /PRIVATE KEY/,
    pattern: /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g,
    replacement: '*** private key ***',
  },
];

/** The text with every recognised credential replaced by `***`. */
export function withoutRecognizable(text: string): string {
  let hidden = text;
  for (const { sign, pattern, replacement } of recognizable)
    if (sign.test(hidden)) hidden = hidden.replace(pattern, replacement);
  return hidden;
}
