-- Has a timeout of 2 seconds and wants longer: the sandbox ends it, loop or not.
gw.log("working, and never getting done")
while true do end
