import { escapeHtml as e } from '../../../http/docs/html-text.ts'
import type { Figure, FigureTable, ReportContent } from './content.ts'

/** The e-mail of one recipient, as plain text and as HTML. */
interface ReportEmail {
  subject: string
  text: string
  html: string
}

interface Why {
  /** Requested by its only recipient. */
  isTest: boolean
  /** Undefined: a test for a user who is not a recipient of the report. */
  unsubscribeUrl: string | undefined
}

export function reportEmail(content: ReportContent, why: Why): ReportEmail {
  const subject = `${why.isTest ? 'Test: ' : ''}${content.name}: ${content.dates}`
  return { subject, text: textOf(content, why), html: htmlOf(content, subject, why) }
}

const whyWords = ({ name, company }: ReportContent, { isTest }: Why) =>
  isTest
    ? `You receive this email because you sent a test of the scheduled report “${name}” of ${company} to yourself.`
    : `You receive this email because you are a recipient of the scheduled report “${name}” of ${company}.`

const attachmentWords = 'All figures by day, number, team and agent are in the attached CSV file.'

function textOf(content: ReportContent, why: Why): string {
  const { name, company, dates, timeZone, filters, comparedWith, figures, missed, tables } = content
  return [
    `${name}: ${company}`,
    `${dates} (${timeZone})`,
    ...filters,
    ...(comparedWith ? [`Compared with ${comparedWith}`] : []),
    '',
    ...(content.isEmpty ? ['No calls in this period.'] : figures.map(figureLine)),
    ...(missed.length === 0 ? [] : ['', 'Missed calls by reason']),
    ...missed.map(({ reason, calls }) => `  ${reason}: ${calls}`),
    ...tables.flatMap(tableLines),
    '',
    'Open in Analytics:',
    content.url,
    ...(content.hasAttachment ? ['', attachmentWords] : []),
    '',
    whyWords(content, why),
    ...(why.unsubscribeUrl ? ['Unsubscribe:', why.unsubscribeUrl] : []),
    '',
  ].join('\n')
}

const figureLine = ({ label, value, note, change }: Figure) =>
  `${label}: ${value}${change ? ` (${change.words})` : ''}, ${note}`

const tableLines = ({ title, columns, rows, more }: FigureTable) => [
  '',
  `${title} (${columns.join(', ')})`,
  ...rows.map(({ name, cells }) => `  ${name}: ${cells.join(', ')}`),
  ...(more > 0 ? [`  and ${more} more`] : []),
]

// Mail clients support little: tables, inline styles, and a style element that some of them drop.
const font = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
const colors = {
  text: '#1a1f29',
  dimmed: '#565e6c',
  line: '#dfe3e8',
  card: '#ffffff',
  page: '#f3f5f7',
  link: '#0a6b63',
}
const tones = { better: '#0a6b3d', worse: '#b3261e', even: colors.dimmed } as const

const darkStyle = `@media (prefers-color-scheme: dark) {
  .page { background: #15181d !important }
  .card { background: #1f242b !important; border-color: #3a414b !important }
  .text { color: #e8ebef !important }
  .dimmed, .even { color: #b3bac4 !important }
  .line { border-color: #3a414b !important }
  .better { color: #6fd69c !important }
  .worse { color: #ff9d94 !important }
  a.link { color: #63d3c8 !important }
}
@media (max-width: 480px) {
  .figure { display: inline-block !important; width: 46% !important }
  .narrow { padding-left: 4px !important }
}`

function htmlOf(content: ReportContent, subject: string, why: Why): string {
  const { name, company, dates, timeZone, filters, comparedWith } = content
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${e(subject)}</title>
<style>${darkStyle}</style>
</head>
<body class="page" style="margin:0;padding:0;background:${colors.page}">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" class="page" style="background:${colors.page}"><tr><td align="center" style="padding:24px 12px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" class="card" style="max-width:640px;background:${colors.card};border:1px solid ${colors.line};border-radius:8px;${font}"><tr><td style="padding:24px">
<p class="dimmed" style="margin:0;font-size:13px;color:${colors.dimmed}">${e(company)}</p>
<h1 class="text" style="margin:2px 0 4px;font-size:22px;line-height:28px;color:${colors.text}">${e(name)}</h1>
<p class="text" style="margin:0;font-size:15px;color:${colors.text}">${e(dates)} <span class="dimmed" style="color:${colors.dimmed}">(${e(timeZone)})</span></p>
${[...filters, ...(comparedWith ? [`Compared with ${comparedWith}`] : [])].map(smallLine).join('\n')}
${content.isEmpty ? emptyHtml : figuresHtml(content)}
${missedHtml(content)}
${content.tables.map(tableHtml).join('\n')}
<p style="margin:24px 0 0"><a href="${e(content.url)}" style="display:inline-block;padding:10px 18px;background:${colors.link};border-radius:6px;color:#ffffff;font-size:15px;font-weight:600;text-decoration:none">Open in Analytics</a></p>
${content.hasAttachment ? smallLine(attachmentWords) : ''}
</td></tr></table>
<p class="dimmed" style="max-width:600px;margin:16px auto 0;font-size:12px;line-height:18px;color:${colors.dimmed};${font}">${e(whyWords(content, why))}${unsubscribeHtml(why)}</p>
</td></tr></table>
</body>
</html>
`
}

const unsubscribeHtml = ({ unsubscribeUrl: url }: Why) =>
  url ? `<br><a class="link" href="${e(url)}" style="color:${colors.link}">Unsubscribe</a>` : ''

const smallLine = (words: string) =>
  `<p class="dimmed" style="margin:4px 0 0;font-size:13px;color:${colors.dimmed}">${e(words)}</p>`

const emptyHtml = `<p class="text" style="margin:20px 0 0;font-size:15px;color:${colors.text}">No calls in this period.</p>`

function figuresHtml({ figures }: ReportContent): string {
  const rows = [figures.slice(0, 3), figures.slice(3)]
  const cells = (row: readonly Figure[]) => row.map(figureHtml).join('\n')
  return `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="margin-top:12px">
${rows.map((row) => `<tr>\n${cells(row)}\n</tr>`).join('\n')}
</table>`
}

function figureHtml({ label, value, note, change }: Figure): string {
  const changed = change
    ? `<div class="${change.tone}" style="font-size:13px;font-weight:600;color:${tones[change.tone]}">${e(change.words)}</div>`
    : ''
  return `<td class="figure" width="33%" valign="top" style="padding:12px 12px 0 0">
<div class="dimmed" style="font-size:13px;color:${colors.dimmed}">${e(label)}</div>
<div class="text" style="font-size:24px;line-height:30px;font-weight:600;color:${colors.text}">${e(value)}</div>
<div class="dimmed" style="font-size:12px;color:${colors.dimmed}">${e(note)}</div>
${changed}
</td>`
}

const heading = (words: string) =>
  `<h2 class="text" style="margin:24px 0 4px;font-size:16px;color:${colors.text}">${e(words)}</h2>`

const cellStyle = `padding:6px 0 6px 12px;border-top:1px solid ${colors.line};font-size:14px;color:${colors.text}`
const nameStyle = `padding:6px 0;border-top:1px solid ${colors.line};font-size:14px;font-weight:400;color:${colors.text}`
const rowHtml = (name: string, cells: readonly string[]) =>
  `<tr><th scope="row" align="left" class="text line" style="${nameStyle}">${e(name)}</th>${cells
    .map((cell) => `<td align="right" class="text line narrow" style="${cellStyle};white-space:nowrap">${e(cell)}</td>`)
    .join('')}</tr>`

function missedHtml({ missed, missedUrl }: ReportContent): string {
  if (missed.length === 0) return ''
  return `${heading('Missed calls')}
<table width="100%" cellpadding="0" cellspacing="0" style="border-collapse:collapse">
${missed.map(({ reason, calls }) => rowHtml(reason, [calls])).join('\n')}
</table>
<p style="margin:6px 0 0;font-size:13px"><a class="link" href="${e(missedUrl)}" style="color:${colors.link}">View missed calls</a></p>`
}

function tableHtml({ title, columns, rows, more }: FigureTable): string {
  const head = columns
    .map(
      (column) =>
        `<th scope="col" align="right" class="dimmed narrow" style="padding:0 0 6px 12px;font-size:12px;font-weight:400;color:${colors.dimmed}">${e(column)}</th>`,
    )
    .join('')
  return `${heading(title)}
<table width="100%" cellpadding="0" cellspacing="0" style="border-collapse:collapse">
<tr><td></td>${head}</tr>
${rows.map(({ name, cells }) => rowHtml(name, cells)).join('\n')}
</table>
${more > 0 ? smallLine(`and ${more} more`) : ''}`
}
