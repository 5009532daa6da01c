/** The logo of the web apps (`web/kit/ui/icon.svg`): a telephone on its hook. A test compares both. */
export const docsLogo =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><title>Hookswitch</title>' +
  '<rect width="32" height="32" rx="8" fill="#0b7a75"/>' +
  '<path d="M6 13c0-3 4.5-5 10-5s10 2 10 5v1.5a1.5 1.5 0 0 1-1.5 1.5h-3a1.5 1.5 0 0 1-1.5-1.5V13h-8v1.5A1.5 1.5 0 0 1 10.500 16h-3A1.5 1.500 0 0 1 6 14.500z" fill="#fff"/>' +
  '<path d="M10 24h12M12.500 20h7" stroke="#f5b942" stroke-width="2.600" stroke-linecap="round"/>' +
  '</svg>'
