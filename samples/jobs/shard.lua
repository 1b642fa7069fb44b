-- A sharding broadcast: every executor of the group gets one shard of the work.
local index, total = gw.shard()
local mine = {}
for id = 1, 20 do
  if id % total == index then mine[#mine + 1] = id end
end
gw.log("shard " .. index .. " of " .. total .. " works on " .. table.concat(mine, ", "))
