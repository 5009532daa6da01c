/** Emergency numbers of all countries; which of them apply is decided by the server. */
const numbers = new Set(
  (
    '000 016 061 062 080 085 091 092 100 101 102 103 106 107 108 110 111 112 113 114 115 117 118 119 122 133 ' +
    '144 15 150 155 156 158 17 18 190 191 192 193 196 197 911 933 988 995 997 998 999 10111 10177'
  ).split(' '),
)

export const looksLikeEmergency = (typed: string) => numbers.has(typed)
