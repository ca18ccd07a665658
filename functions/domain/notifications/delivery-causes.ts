/** Why a message was not accepted: closed words, because what a receiver answers is never stored or shown. */
export const deliveryCauses = [
  'secret-missing',
  'secret-incomplete',
  'private-address',
  'name-not-found',
  'not-reached',
  'timeout',
  'answer-too-large',
  'redirect',
  'refused',
  'server-error',
  'too-old',
  'not-confirmed',
] as const;
export type DeliveryCause = (typeof deliveryCauses)[number];

/** What it means and what to do, for people. */
export const deliveryHints: Readonly<Record<DeliveryCause, string>> = {
  'secret-missing': 'its Secret does not exist; store it',
  'secret-incomplete': 'its Secret lacks a usable `url`, or `signingkey` for a webhook; docs/notifications.md has both',
  'private-address': 'the host has an address that is not of the public internet; use a public host',
  'name-not-found': 'the name of the host has no address; correct the url',
  'not-reached': 'no connection, or a certificate that is not trusted',
  timeout: 'no answer within 10 seconds',
  'answer-too-large': 'an answer of more than 64 kB; answer briefly',
  redirect: 'it redirects, and redirects are not followed; use the address that it leads to',
  refused: 'the receiver refused the message; check the url or the address, and the form in spec.to',
  'server-error': 'the receiver failed',
  'too-old': 'messages wait for a day at most',
  'not-confirmed': 'the recipient has not confirmed, or has unsubscribed; messages wait for a day',
};

/** Recipients of e-mail, as SNS knows them: only one who confirmed gets any. */
export const recipientStates = ['unconfirmed', 'confirmed', 'unsubscribed'] as const;
export type RecipientState = (typeof recipientStates)[number];
