// Messages that should never have been sent, written in the spirit of RFC 4475, and a few that look wrong and are not.
// `answer` is what a trunk that sends it gets; null is silence; 'call' rings.

export interface Torture {
  name: string
  text: string
  answer: number | 'call' | null
}

interface Parts {
  start?: string
  via?: string
  from?: string
  to?: string
  callId?: string
  cseq?: string
  contact?: string
  more?: string[]
  length?: string
  body?: string
  without?: string
}

let made = 0

function text(parts: Parts): string {
  made++
  const lines: [string, string][] = [
    ['via', parts.via ?? `Via: SIP/2.0/UDP 127.0.0.1:PORT;branch=z9hG4bKt${made};rport`],
    ['forwards', 'Max-Forwards: 70'],
    ['from', parts.from ?? `From: <sip:+33155501234@a.test>;tag=t${made}`],
    ['to', parts.to ?? 'To: <sip:0155509876@b.test>'],
    ['callId', parts.callId ?? `Call-ID: torture-${made}`],
    ['cseq', parts.cseq ?? 'CSeq: 1 INVITE'],
    ['contact', parts.contact ?? 'Contact: <sip:a@127.0.0.1:PORT>'],
    ...(parts.more ?? []).map((line): [string, string] => ['more', line]),
    ['length', parts.length ?? `Content-Length: ${parts.body?.length ?? 0}`],
  ]
  const kept = lines.filter(([name]) => name !== parts.without).map(([, line]) => line)
  return `${[parts.start ?? 'INVITE sip:0155509876@127.0.0.1 SIP/2.0', ...kept].join('\r\n')}\r\n\r\n${parts.body ?? ''}`
}

const bad = (name: string, parts: Parts, answer: Torture['answer']): Torture => ({ name, text: text(parts), answer })
const raw = (name: string, all: string): Torture => ({ name, text: all, answer: null })

export const tortures: Torture[] = [
  // wrong, and answered where an answer can find its way
  bad('no From', { without: 'from' }, null),
  bad('no To', { without: 'to' }, null),
  bad('no Call-ID', { without: 'callId' }, null),
  bad('no CSeq', { without: 'cseq' }, null),
  bad('no Via', { without: 'via' }, null),
  bad('no Contact', { without: 'contact' }, 400),
  bad('two Contacts', { more: ['Contact: <sip:b@127.0.0.1>'] }, 400),
  bad('a Contact of nothing', { contact: 'Contact: <>' }, 400),
  bad('two From', { more: ['From: <sip:x@y.test>;tag=2'] }, 400),
  bad('two CSeq', { more: ['CSeq: 2 INVITE'] }, 400),
  bad('two Call-ID', { more: ['Call-ID: other'] }, 400),
  bad('From without tag', { from: 'From: <sip:a@b.test>' }, 400),
  bad('From with an open bracket', { from: 'From: "A" <sip:a@b.test;tag=1' }, 400),
  bad('From with an open quote', { from: 'From: "A <sip:a@b.test>;tag=1' }, 400),
  bad('CSeq of another method', { cseq: 'CSeq: 1 BYE' }, 400),
  bad('CSeq too large', { cseq: 'CSeq: 4294967296 INVITE' }, 400),
  bad('CSeq below nothing', { cseq: 'CSeq: -1 INVITE' }, 400),
  bad('CSeq of words', { cseq: 'CSeq: one INVITE' }, 400),
  bad('CSeq without method', { cseq: 'CSeq: 1' }, 400),
  bad('Max-Forwards of words', { more: ['Max-Forwards: many'], without: 'forwards' }, 400),
  bad('two Max-Forwards', { more: ['Max-Forwards: 1'] }, 400),
  bad('an unknown scheme', { start: 'INVITE gopher:0155509876 SIP/2.0' }, 416),
  bad('a URI without scheme', { start: 'INVITE 0155509876@127.0.0.1 SIP/2.0' }, 400),
  bad('a URI with a port out of range', { start: 'INVITE sip:a@127.0.0.1:99999 SIP/2.0' }, 400),
  bad('a URI with a broken escape', { start: 'INVITE sip:a%zz@127.0.0.1 SIP/2.0' }, 400),
  bad('a URI with an escaped line break', { start: 'INVITE sip:a%0d%0ab@127.0.0.1 SIP/2.0' }, 400),
  bad('Via of another protocol', { via: 'Via: HTTP/1.1/UDP 127.0.0.1:PORT;branch=z9hG4bKx1' }, 400),
  bad('Via without host', { via: 'Via: SIP/2.0/UDP ;branch=z9hG4bKx2' }, 400),
  bad('a Route that is no address', { more: ['Route: nowhere at all'] }, 400),
  bad('a Call-ID with blanks', { callId: 'Call-ID: a b c' }, 400),
  bad('an unknown extension', { more: ['Require: teleport, 100rel'] }, 420),
  bad('a body we cannot read', { more: ['Content-Type: text/html'], body: '<b>hi</b>' }, 415),
  bad('an unknown method', { start: 'DANCE sip:a@127.0.0.1 SIP/2.0', cseq: 'CSeq: 1 DANCE' }, 405),
  bad(
    'a BYE of no dialog',
    { start: 'BYE sip:a@127.0.0.1 SIP/2.0', cseq: 'CSeq: 1 BYE', to: 'To: <sip:a@b.test>;tag=none' },
    481,
  ),
  bad('a CANCEL of nothing', { start: 'CANCEL sip:a@127.0.0.1 SIP/2.0', cseq: 'CSeq: 1 CANCEL' }, 481),
  bad('an ACK of nothing', { start: 'ACK sip:a@127.0.0.1 SIP/2.0', cseq: 'CSeq: 1 ACK' }, null),

  // too broken to answer
  bad('blanks in the URI', { start: 'INVITE sip:a b@127.0.0.1 SIP/2.0' }, null),
  bad('two blanks in the request line', { start: 'INVITE  sip:a@127.0.0.1 SIP/2.0' }, null),
  bad('a URI in brackets', { start: 'INVITE <sip:a@127.0.0.1> SIP/2.0' }, null),
  bad('another version', { start: 'INVITE sip:a@127.0.0.1 SIP/7.0' }, null),
  bad('a method with brackets', { start: 'INV(ITE) sip:a@127.0.0.1 SIP/2.0' }, null),
  bad('a status of four digits', { start: 'SIP/2.0 4294967301 better not' }, null),
  bad('a status of nothing', { start: 'SIP/2.0  OK' }, null),
  bad('a length beyond the end', { length: 'Content-Length: 9999' }, null),
  bad('a length below nothing', { length: 'Content-Length: -999' }, null),
  bad('two lengths that differ', { more: ['Content-Length: 5'] }, null),
  bad('a header without colon', { more: ['This is no header'] }, null),
  bad('a header without name', { more: [': value'] }, null),
  bad('a header name with blanks', { more: ['A Header: value'] }, null),
  bad('a bare line feed in a header', { more: ['Subject: one\nX-Evil: two'] }, null),
  bad('a bare carriage return in a header', { more: ['Subject: one\rX-Evil: two'] }, null),
  bad('a zero byte in a header', { more: ['Subject: a\0b'] }, null),
  bad('a line that is endless', { more: [`Subject: ${'x'.repeat(5_000)}`] }, null),
  bad('far too many headers', { more: Array.from({ length: 200 }, (_, i) => `X-${i}: y`) }, null),
  raw('nothing but line breaks', '\r\n\r\n\r\n\r\n'),
  raw('a request line alone', 'INVITE sip:a@127.0.0.1 SIP/2.0\r\n\r\n'),
  raw('headers without an end', 'INVITE sip:a@127.0.0.1 SIP/2.0\r\nVia: SIP/2.0/UDP x\r\n'),
  raw('another protocol', 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'),
  raw('a beginning that is a continuation', ' INVITE sip:a@127.0.0.1 SIP/2.0\r\nVia: x\r\n\r\n'),
  raw('noise', String.fromCharCode(...Array.from({ length: 256 }, (_, i) => i))),

  // strange, and right
  bad(
    'folded and compact headers, blanks before colons',
    {
      via: 'v:  SIP / 2.0 / UDP\r\n 127.0.0.1:PORT ;branch=z9hG4bKodd;\r\n\trport',
      from: 'f : "A \\"quoted\\", odd <name>"\r\n <sip:+33155501234@a.test> ; tag = odd',
      to: 't:sip:0155509876@b.test',
      callId: 'I  : odd-1',
      cseq: 'cseq:   0009\r\n   INVITE',
      contact: 'm: <sip:a@127.0.0.1:PORT>',
      length: 'l: 0',
    },
    'call',
  ),
  bad(
    'methods and names are spelt in any case, escapes in the user',
    {
      start: 'INVITE sip:%30155509876@127.0.0.1 SIP/2.0',
      from: 'FROM: <SIP:+33155501234@A.TEST>;TAG=case',
    },
    'call',
  ),
  bad(
    'several Vias on one line, an unknown parameter',
    {
      via: 'Via: SIP/2.0/UDP 127.0.0.1:PORT;branch=z9hG4bKvias;x=";";rport, SIP/2.0/TCP [2001:db8::1];branch=z9hG4bK2',
      more: ['X-Unknown: ;;,,;;"'],
    },
    'call',
  ),
  bad('bytes past the length', { length: 'Content-Length: 0', body: 'longer than the header states' }, 'call'),
]
