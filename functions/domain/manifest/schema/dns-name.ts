/** DNS names in their normal form: lower case, without the dot at the end. One type for zones, host names and further names. */
import { z } from 'zod';
import { shown } from './names.ts';

/** All of it together; a part between dots has at most 63. */
const mostLetters = 253;

/** Certificates, clouds and kubeadm take no others: letters, digits and `-`. */
const name = /^([A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?\.)*[A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?\.?$/;
/** The same, or a wildcard as its first part. */
const wildcardOrName =
  /^(\*|(\*\.)?([A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?\.)*[A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?)\.?$/;
const address = /^\d{1,3}(\.\d{1,3}){3}\.?$/;

const kinds = {
  zone: { title: 'a DNS zone', example: 'example.com', pattern: name },
  host: { title: 'a host name', example: 'www', pattern: name },
  further: { title: 'a host name', example: 'www', pattern: wildcardOrName },
} as const;

/** `k8s`, and `*.apps` where wildcards may be (`further`); parsed, it has its normal form. */
function dnsNameOf(kind: keyof typeof kinds): z.ZodString {
  const { pattern, title } = kinds[kind];
  return z
    .string()
    .max(mostLetters, { error: `has more than ${mostLetters} characters; shorten it` })
    .regex(pattern, { error: (issue) => `${shown(issue.input)} is not ${title}; ${fixOf(String(issue.input), kind)}` })
    .overwrite(normalDnsName);
}

export const DnsZone = dnsNameOf('zone');
export const DnsHostName = dnsNameOf('host');
export const FurtherDnsName = dnsNameOf('further');

/** What to write instead; the first reason that fits. */
function fixOf(text: string, kind: keyof typeof kinds): string {
  const usual = `use one such as "${kinds[kind].example}"`;
  if (text.includes('*')) {
    if (kind === 'further') return 'a wildcard is the first part as a whole, as in "*.apps"';
    return kind === 'host' ? 'a wildcard may be among the alternativeNames, write it there' : usual;
  }
  const plain = text.toLowerCase();
  const ascii = /[^ -~]/.test(text) ? asciiOf(plain) : plain.replaceAll('_', '-');
  if (ascii !== plain && name.test(ascii)) return `did you mean "${ascii}"?`;
  if (text.split('.').some((part) => part.length > 63)) return 'a part between dots has at most 63 letters, shorten it';
  return usual;
}

/** As clouds and certificates have names in other scripts. */
function asciiOf(text: string): string {
  const url = `http://${text}/`;
  return URL.canParse(url) ? new URL(url).hostname : text;
}

/** `K8s.Example.com.` and `k8s.example.com` are one name. */
export function normalDnsName(text: string): string {
  return text.toLowerCase().replace(/\.$/, '');
}

/** A host name with its zone. */
export function nameInZone(host: string, zone: string): string {
  return `${normalDnsName(host)}.${normalDnsName(zone)}`;
}

/** What is left of a host name that was written with its zone, which would be there twice; undefined where it was not. A zone of one part may be the name that a cloud has for it. */
export function withoutZone(host: string, zone: string): string | undefined {
  const [inner, outer] = [normalDnsName(host), normalDnsName(zone)];
  if (!outer.includes('.')) return undefined;
  if (inner === outer) return '';
  return inner.endsWith(`.${outer}`) ? inner.slice(0, -outer.length - 1) : undefined;
}

/** True for `203.0.113.7`, which has the form of a name. */
export const isAddress = (text: string): boolean => address.test(text);

/** True for a host name with its zone that is too long for DNS. */
export const isTooLong = (full: string): boolean => full.length > mostLetters;
