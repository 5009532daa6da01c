/** A library in another language that a package contains in compiled form; npm's records do not name it. */
export interface CompiledPart {
  name: string
  licence: string
  copyright: string
}

const xiph = '2002-2020 Xiph.Org Foundation'

/** By the package that contains them. Those under the LGPL are the reason why their package is not bundled. */
export const compiledParts: Record<string, CompiledPart[]> = {
  'wasm-media-encoders': [
    { name: 'LAME', licence: 'LGPL-2.0-or-later', copyright: '1999-2019 The LAME Project' },
    { name: 'libogg', licence: 'BSD-3-Clause', copyright: xiph },
    { name: 'libvorbis', licence: 'BSD-3-Clause', copyright: xiph },
  ],
  'mpg123-decoder': [
    { name: 'libmpg123', licence: 'LGPL-2.1-only', copyright: '1995-2023 Michael Hipp and the mpg123 project' },
  ],
  '@wasm-audio-decoders/ogg-vorbis': [
    { name: 'libogg', licence: 'BSD-3-Clause', copyright: xiph },
    { name: 'libvorbis', licence: 'BSD-3-Clause', copyright: xiph },
  ],
  '@evan/opus': [
    {
      name: 'libopus',
      licence: 'BSD-3-Clause',
      copyright:
        '2001-2023 Xiph.Org, Skype Limited, Octasic, Jean-Marc Valin, Timothy B. Terriberry, CSIRO, Gregory Maxwell, Mark Borgerding, Erik de Castro Lopo, Mozilla, Amazon',
    },
  ],
  'node-datachannel': [
    { name: 'libdatachannel', licence: 'MPL-2.0', copyright: '2019-2025 Paul-Louis Ageneau' },
    { name: 'libjuice', licence: 'MPL-2.0', copyright: '2020-2025 Paul-Louis Ageneau' },
    { name: 'libsrtp', licence: 'BSD-3-Clause', copyright: '2001-2017 Cisco Systems, Inc.' },
    { name: 'usrsctp', licence: 'BSD-3-Clause', copyright: '2015 Randall Stewart and Michael Tuexen' },
    { name: 'plog', licence: 'MIT', copyright: '2022 Sergey Podobry' },
    { name: 'OpenSSL', licence: 'Apache-2.0', copyright: '1998-2025 The OpenSSL Project Authors' },
  ],
  libsql: [
    { name: 'libSQL', licence: 'MIT', copyright: '2023 the libSQL authors' },
    { name: 'SQLite', licence: 'blessing', copyright: 'none: its authors have placed SQLite in the public domain' },
  ],
  '@node-rs/argon2': [
    { name: 'RustCrypto argon2', licence: 'MIT', copyright: '2021-2024 The RustCrypto Project Developers' },
  ],
}
