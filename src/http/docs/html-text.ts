export const escapeHtml = (text: string) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')

/** Long identifiers may break after separators; text with spaces breaks there. */
export const breakable = (text: string) =>
  text.length > 16 && !text.includes(' ') ? escapeHtml(text).replace(/[._/](?=[\w:])/g, '$&<wbr>') : escapeHtml(text)
